type CamelWord<K> = K extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelWord<Tail>>}` : K;

/** An object of a rule file with its keys in camel case. */
export type Camel<Raw> = { readonly [K in keyof Raw as CamelWord<K>]: Raw[K] };
