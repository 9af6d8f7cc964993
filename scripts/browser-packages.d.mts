export const browserPackages: readonly string[];
export function packagedChromium(folder: string): Promise<string>;
