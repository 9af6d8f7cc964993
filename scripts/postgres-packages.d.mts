export const postgresPackages: readonly string[];
export function packagedPostgres(folder: string): string | null;
