interface Stop {
  readonly button: HTMLElement;
  readonly id: string;
  readonly from?: string;
  readonly to?: string;
}

/**
 * One tab stop for a graph. Right and left follow the value: from a node to its sent edges, from an edge to its receiver.
 * Up and down go through nodes, or through edges step by step; Home is the actor, End the last step.
 */
export function roving(stage: HTMLElement, stops: readonly Stop[], first: string | null): void {
  const nodes = stops.filter((stop) => stop.from === undefined);
  const edges = stops.filter((stop) => stop.from !== undefined);
  const nodeById = new Map(nodes.map((stop) => [stop.id, stop]));
  const byButton = new Map(stops.map((stop) => [stop.button, stop]));
  const start = nodes.find((stop) => stop.id === first) ?? nodes[0];
  for (const stop of stops) stop.button.tabIndex = stop === start ? 0 : -1;
  let current = start;

  const go = (stop: Stop | undefined): void => {
    if (!stop) return;
    if (current) current.button.tabIndex = -1;
    stop.button.tabIndex = 0;
    current = stop;
    stop.button.focus();
    stop.button.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  };
  const beside = (list: readonly Stop[], stop: Stop, by: number): Stop | undefined =>
    list[list.indexOf(stop) + by];

  stage.addEventListener('focusin', (event) => {
    const stop = byButton.get(event.target as HTMLElement);
    if (!stop || stop === current) return;
    if (current) current.button.tabIndex = -1;
    stop.button.tabIndex = 0;
    current = stop;
  });
  stage.addEventListener('keydown', (event) => {
    const stop = byButton.get(event.target as HTMLElement);
    if (!stop || event.ctrlKey || event.metaKey || event.altKey) return;
    const isNode = stop.from === undefined;
    const moves: Readonly<Record<string, () => Stop | undefined>> = {
      ArrowRight: () =>
        isNode
          ? (edges.find((e) => e.from === stop.id) ?? edges.find((e) => e.to === stop.id))
          : nodeById.get(stop.to!),
      ArrowLeft: () =>
        isNode
          ? (edges.find((e) => e.to === stop.id) ?? edges.find((e) => e.from === stop.id))
          : nodeById.get(stop.from!),
      ArrowDown: () => beside(isNode ? nodes : edges, stop, 1),
      ArrowUp: () => beside(isNode ? nodes : edges, stop, -1),
      Home: () => start,
      End: () => edges.at(-1),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    go(move());
  });
}
