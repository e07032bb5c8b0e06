interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly dev?: boolean; readonly dependencies?: Readonly<Record<string, string>> }>
  >;
}

/** Development dependencies that no production package needs, so that an installation without them lacks them. */
export function developmentOnly(manifest: Manifest, lock: Lock): string[] {
  const needed = new Set(
    Object.entries(lock.packages).flatMap(([folder, { dev, dependencies = {} }]) =>
      folder === '' || dev
        ? Object.keys(folder === '' ? manifest.dependencies : {})
        : Object.keys(dependencies),
    ),
  );
  return Object.keys(manifest.devDependencies).filter((name) => !needed.has(name));
}
