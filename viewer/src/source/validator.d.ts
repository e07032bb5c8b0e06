/** Made by `build.ts` from the report's published schema. */
declare module 'txreport:validate' {
  interface SchemaError {
    readonly instancePath: string;
    readonly message?: string;
    readonly keyword: string;
  }
  const validate: ((value: unknown) => boolean) & { errors?: readonly SchemaError[] | null };
  export default validate;
}

/** The example in the report's published schema. */
declare module 'txreport:example' {
  const example: { readonly tx: { readonly hash: string } };
  export default example;
}
