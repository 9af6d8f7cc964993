export function isFresh(): boolean;
export function build(): Promise<{ ok: boolean; output: string }>;
