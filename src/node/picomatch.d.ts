declare module "picomatch" {
  interface Options {
    readonly dot?: boolean;
    readonly nocase?: boolean;
  }
  export default function picomatch(pattern: string, options?: Options): (path: string) => boolean;
}
