/** The page's entry: a tab without a key says how to get one. */
import { render } from "preact";
import { App } from "./app.js";
import { Source, Unauthorised } from "./source.js";

const place = document.querySelector("#page") as HTMLElement;

function Locked() {
  return (
    <main class="locked">
      <h1>This page needs a new address.</h1>
      <p>
        The code in the address works once and for a minute. Press Enter in the terminal where{" "}
        <code>kedge ui</code> runs: it prints another.
      </p>
    </main>
  );
}

Source.open().then(
  (source) => render(<App source={source} />, place),
  (error) => {
    if (!(error instanceof Unauthorised)) console.error(error);
    render(<Locked />, place);
  },
);
