import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

const FOLDER = new URL('../../schemas/', import.meta.url);

export interface Example {
  readonly value?: unknown;
  readonly externalValue?: string;
}
export interface Media {
  readonly schema: { readonly $ref?: string };
  readonly examples?: Readonly<Record<string, Example>>;
}
export interface Answer {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>;
}
export interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Answer>> };
}

export const TEXT = readFileSync(new URL('openapi.yaml', FOLDER), 'utf8');
export const DOCUMENT = parse(TEXT) as Document;

/** One documented example of an answer: its place in the document, its media type and schema. */
export interface DocumentedAnswer {
  /** `POST /analyze 400 no_json` */
  readonly key: string;
  readonly status: number;
  readonly type: string;
  readonly media: Media;
  readonly example: unknown;
  readonly headers: readonly string[];
}

/** Every documented example of every answer. */
export function documentedAnswers(): DocumentedAnswer[] {
  const found: DocumentedAnswer[] = [];
  for (const [path, methods] of Object.entries(DOCUMENT.paths))
    for (const [method, operation] of Object.entries(methods)) {
      for (const [status, given] of Object.entries(operation.responses)) {
        const answer =
          '$ref' in given ? DOCUMENT.components.responses[given.$ref.split('/').at(-1)!]! : given;
        for (const [type, media] of Object.entries(answer.content))
          for (const [name, example] of Object.entries(media.examples ?? {})) {
            found.push({
              key: `${method.toUpperCase()} ${path} ${status} ${name}`,
              status: Number(status),
              type,
              media,
              example: valueOf(example),
              headers: Object.keys(answer.headers ?? {}),
            });
          }
      }
    }
  return found;
}

export function valueOf({ value, externalValue }: Example): unknown {
  return externalValue === undefined
    ? value
    : JSON.parse(readFileSync(new URL(externalValue, FOLDER), 'utf8'));
}

const validators = new Map<string, ValidateFunction>();

/** What is wrong with a value by the schema of a media type; empty when nothing is. */
export function faultsBy(media: Media, value: unknown): string[] {
  const key = JSON.stringify(media.schema);
  let validate = validators.get(key);
  if (!validate) {
    const { $ref } = media.schema;
    const schema =
      $ref === undefined ? media.schema : (JSON.parse(readFileSync(new URL($ref, FOLDER), 'utf8')) as object);
    validators.set(key, (validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema)));
  }
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}
