/** What the guard's hook takes along for files that are not UTF-8. */
import chardet from "chardet";
import iconv from "iconv-lite";

export { chardet, iconv as "iconv-lite" };
