// The URL says what to show ('#log=…&compile=…&artifact=…'). Links change it, and the page follows.
import { useEffect, useState, useSyncExternalStore } from "react";
import { bytes, plural, time } from "../../lib/page/format.js";
import { statusInfo } from "../../lib/page/figures.js";

const follow = (changed) => {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
};

/** @param {{bundle: import("../../lib/bundle/bundle.js").Bundle}} props */
export function App({ bundle }) {
  const asked = new URLSearchParams(useSyncExternalStore(follow, () => location.hash).slice(1));
  const log = bundle.log(asked.get("log") ?? "") ?? bundle.logs[0];
  const compiles = useLoaded(() => log?.compiles(), [log]);
  if (!log) return <h1>This bundle has no logs</h1>;
  if (compiles.error) return <p role="alert">{compiles.error.message}</p>;
  if (!compiles.value) return <p role="status">Loading …</p>;
  const index = compiles.value.findIndex(({ compile }) => compile === asked.get("compile"));
  return (
    <>
      <header>
        <h1>
          {plural(log.summary.summary.compile_count, "compile")} of {log.summary.source.name}
        </h1>
        {bundle.logs.length > 1 && (
          <nav aria-label="Logs">
            {bundle.logs.map((one) => (
              <Link
                key={one.id}
                state={{ log: one.id }}
                here={one === log}
                children={one.rank === null ? one.id : `rank ${one.rank}`}
              />
            ))}
          </nav>
        )}
      </header>
      <nav aria-label="Compiles">
        <ul>
          {compiles.value.map((compile, i) => (
            <li key={compile.compile}>
              <Link state={{ log: log.id, compile: compile.compile }} here={i === index}>
                [{compile.compile}] {compile.function ?? "?"}{" "}
                <span className="dim">
                  {statusInfo(compile.status).word} {compile.total_us !== null && time(compile.total_us)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <main aria-label="Compile">
        {index < 0 ? (
          <h2>Choose a compile</h2>
        ) : (
          <Compile log={log} compile={compiles.value[index]} wanted={asked.get("artifact")} />
        )}
      </main>
    </>
  );
}

function Compile({ log, compile, wanted }) {
  const rows = useLoaded(() => log.artifactsOf(compile), [log, compile]);
  if (rows.error) return <p role="alert">{rows.error.message}</p>;
  if (!rows.value) return <p role="status">Loading …</p>;
  const artifacts = rows.value;
  const chosen = artifacts.find(({ event }) => String(event) === wanted);
  return (
    <>
      <h2>
        {plural(artifacts.length, "artifact")} of {compile.compile}
      </h2>
      <ul>
        {artifacts.map((artifact) => (
          <li key={artifact.event}>
            <Link
              state={{ log: log.id, compile: compile.compile, artifact: String(artifact.event) }}
              here={artifact === chosen}
              children={artifact.name}
            />
            <span className="dim">{bytes(artifact.size_bytes)}</span>
          </li>
        ))}
      </ul>
      {chosen && <Text key={chosen.event} log={log} artifact={chosen} />}
    </>
  );
}

function Text({ log, artifact }) {
  // Fetch the text only now. Artifacts without a payload have their content in the metadata.
  const load = async () =>
    (await log.text(artifact)) ?? JSON.stringify(await log.metadata(artifact.event), null, 2);
  const text = useLoaded(load, [artifact.event]);
  if (text.error) return <p role="alert">{text.error.message}</p>;
  return (
    <pre tabIndex={0} role="region" aria-label={`Text of ${artifact.name}`}>
      {text.value ?? "Loading …"}
    </pre>
  );
}

function Link({ state, here, children }) {
  return (
    <a href={`#${new URLSearchParams(state)}`} aria-current={here ? "true" : undefined}>
      {children}
    </a>
  );
}

/** Return the state of the newest promise. */
function useLoaded(load, dependencies) {
  const [state, setState] = useState({});
  useEffect(() => {
    let current = true;
    setState({});
    Promise.resolve(load()).then(
      (value) => current && setState({ value }),
      (error) => current && setState({ error }),
    );
    return () => void (current = false);
  }, dependencies);
  return state;
}
