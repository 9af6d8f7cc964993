declare module "picomatch" {
  interface Options {
    readonly dot?: boolean;
    readonly nocase?: boolean;
    readonly posix?: boolean;
  }
  export default function picomatch(pattern: string, options?: Options): (path: string) => boolean;
}
