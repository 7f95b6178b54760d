/** What PostgreSQL prints for `debug_print_parse`: a node with its fields, a list, or a word. */
type Item = Tree | Item[] | string;
export interface Tree {
  tag: string;
  [field: string]: Item;
}

/** Reads a query as PostgreSQL has understood it, with every name resolved. */
export function readTree(text: string): Tree {
  const tokens = text.match(/[{}()]|(?:\\.|"(?:\\.|[^"\\])*"|[^\s{}()\\])+|\[[^\]]*\]/g) ?? [];
  let i = 0;
  const read = (): Item => {
    const token = tokens[i++];
    if (token === undefined) throw new Error("The parse tree ends too early");
    if (token === "(") {
      const list: Item[] = [];
      while (tokens[i] !== ")") list.push(read());
      i++;
      return list;
    }
    if (token !== "{") return token;
    const tree: Tree = { tag: tokens[i++] as string };
    let field = "";
    while (tokens[i] !== "}") {
      const next = tokens[i] ?? "";
      if (/^:[a-zA-Z]/.test(next)) {
        field = next.slice(1);
        i++;
        tree[field] = "";
      } else if (tree[field] === "") tree[field] = read();
      else read();
    }
    i++;
    return tree;
  };
  const item = read();
  return (Array.isArray(item) ? item[0] : item) as Tree;
}

const listOf = (item: Item | undefined): Item[] => (Array.isArray(item) ? item : []);
const treesOf = (item: Item | undefined): Tree[] =>
  listOf(item).filter((each): each is Tree => typeof each === "object" && !Array.isArray(each));
const isTree = (item: Item | undefined): item is Tree => typeof item === "object" && !Array.isArray(item);

/** Facts of the schema that the tree refers to by their numbers. */
export interface Catalog {
  /** Whether a column may be null, by `table.column`; nobody knows it of a view. */
  nullable: ReadonlyMap<string, boolean>;
  functions: ReadonlyMap<string, { name: string; isStrict: boolean }>;
  /** The function of every operator. */
  operators: ReadonlyMap<string, string>;
}

/** True if the values of a column may be null, false if none is, undefined if nobody knows. */
export type Nullable = boolean | undefined;

// A null argument is the only reason for which one of these functions answers with null.
const PLAIN =
  /^(now|clock_timestamp|gen_random_uuid|make_interval|to_json|to_jsonb|json(b)?_build_(object|array)|row_number|date_trunc|lower|upper|length|concat|format|hashtextextended|greatest|least|texteq|unnest|generate_series|nextval)$/;
// An operator that may find nothing.
const LOOKUP = /^json(b)?_(object_field|array_element|extract_path)(_text)?$/;

interface Level {
  query: Tree;
  up?: Level | undefined;
  ctes: Map<string, { query: Tree; level: Level }>;
}

const or = (values: Nullable[]): Nullable =>
  values.includes(true) ? true : values.includes(undefined) ? undefined : false;
const and = (values: Nullable[]): Nullable =>
  values.includes(false) ? false : values.includes(undefined) ? undefined : true;

/** For every column of a statement's answer whether it may be null. */
export function nullableColumns(tree: Tree, catalog: Catalog): Nullable[] {
  return columnsOf({ query: tree, ctes: new Map() }).map((each) => each());

  function columnsOf(level: Level): (() => Nullable)[] {
    const { query } = level;
    for (const cte of treesOf(query.cteList))
      level.ctes.set(String(cte.ctename), { query: cte.ctequery as Tree, level });
    if (isTree(query.setOperations)) {
      const branches = leavesOf(query.setOperations).map((index) =>
        columnsOf({ query: rangeOf(level, index).subquery as Tree, up: level, ctes: new Map() }),
      );
      return (branches[0] ?? []).map((_, i) => () => or(branches.map((branch) => branch[i]?.())));
    }
    const answers = treesOf(query.commandType === "1" ? query.targetList : query.returningList);
    return answers.filter(({ resjunk }) => resjunk !== "true").map((target) => () => nullable(target.expr, level));
  }

  function leavesOf(operation: Tree): number[] {
    if (operation.tag === "RANGETBLREF") return [Number(operation.rtindex)];
    return [operation.larg, operation.rarg].flatMap((each) => (isTree(each) ? leavesOf(each) : []));
  }

  function rangeOf({ query }: Level, index: number): Tree {
    return treesOf(query.rtable)[index - 1] as Tree;
  }

  function nullable(expression: Item | undefined, level: Level): Nullable {
    if (!isTree(expression)) return undefined;
    const all = (items: Item | undefined) => or(listOf(items).map((each) => nullable(each, level)));
    const { tag } = expression;
    if (tag === "VAR") return ofVariable(expression, level);
    if (tag === "CONST") return expression.constisnull === "true";
    if (tag === "COALESCE" || tag === "COALESCEEXPR" || /^MINMAX/.test(tag))
      return and(listOf(expression.args).map((each) => nullable(each, level)));
    if (/^(NULLTEST|BOOLEANTEST|DISTINCTEXPR|ROW|ROWEXPR|ARRAY|ARRAYEXPR|SQLVALUEFUNCTION)$/.test(tag)) return false;
    if (/^(RELABELTYPE|COERCEVIAIO|ARRAYCOERCEEXPR|COERCETODOMAIN|COLLATE)/.test(tag))
      return nullable(expression.arg, level);
    // A part that is null need not make the whole null.
    if (/^BOOLEXPR/.test(tag)) return all(expression.args) === false ? false : undefined;
    if (/^SCALARARRAYOP/.test(tag)) return all(expression.args);
    if (/^NULLIF/.test(tag)) return true;
    if (/^CASE/.test(tag))
      return or([
        // A branch is taken only for rows that meet its condition.
        ...treesOf(expression.args).map(
          ({ result }) =>
            (isTree(result) && result.constisnull === "true") ||
            (nullable(result, level) === false ? false : undefined),
        ),
        isTree(expression.defresult) ? nullable(expression.defresult, level) : true,
      ]);
    if (tag === "AGGREF")
      return /^count$/.test(catalog.functions.get(String(expression.aggfnoid))?.name ?? "")
        ? false
        : ofAggregate(expression, level);
    if (tag === "WINDOWFUNC")
      return /^(count|row_number|rank)$/.test(catalog.functions.get(String(expression.winfnoid))?.name ?? "")
        ? false
        : undefined;
    if (tag === "SUBLINK") return ofSublink(expression, level);
    if (tag === "FUNCEXPR" || tag === "OPEXPR") {
      const id = tag === "FUNCEXPR" ? expression.funcid : catalog.operators.get(String(expression.opno));
      const fn = catalog.functions.get(String(id));
      if (LOOKUP.test(fn?.name ?? "")) return undefined;
      const given = all(expression.args);
      const isCast = tag === "FUNCEXPR" && expression.funcformat !== "0";
      if (fn?.isStrict && given === true) return true;
      return tag === "OPEXPR" || isCast || PLAIN.test(fn?.name ?? "") ? (fn?.isStrict ? given : false) : undefined;
    }
    return undefined;
  }

  function ofAggregate(expression: Tree, level: Level): Nullable {
    if (listOf(level.query.groupClause).length === 0 || isTree(expression.aggfilter)) return true;
    return or(treesOf(expression.args).map(({ expr }) => nullable(expr, level)));
  }

  function ofSublink(expression: Tree, level: Level): Nullable {
    if (expression.subLinkType === "6" || expression.subLinkType === "0") return false;
    if (expression.subLinkType !== "4") return undefined;
    const query = expression.subselect as Tree;
    const isOneRow = query.hasAggs === "true" && listOf(query.groupClause).length === 0 && !isTree(query.havingQual);
    return isOneRow ? columnsOf({ query, up: level, ctes: new Map() })[0]?.() : undefined;
  }

  function ofVariable(variable: Tree, from: Level): Nullable {
    let level: Level | undefined = from;
    for (let up = Number(variable.varlevelsup); up > 0 && level; up--) level = level.up;
    if (!level) return undefined;
    const [index, column] = [Number(variable.varno), Number(variable.varattno)];
    const written = writtenTo(level, index, column);
    if (written) return nullable(written, { ...level, query: { ...level.query, commandType: "1" } });
    if (isRequired(level.query.jointree, variable)) return false;
    const own = ofRange(level, index, column);
    return isOptional(level.query.jointree, index) ? true : own;
  }

  /** The value that the statement itself writes into the column. */
  function writtenTo({ query }: Level, index: number, column: number): Item | undefined {
    if (!/^[23]$/.test(String(query.commandType)) || Number(query.resultRelation) !== index || isTree(query.onConflict))
      return undefined;
    return treesOf(query.targetList).find(({ resno, resjunk }) => Number(resno) === column && resjunk !== "true")?.expr;
  }

  function ofRange(level: Level, index: number, column: number): Nullable {
    const range = rangeOf(level, index);
    if (range.rtekind === "0") return column < 0 ? false : catalog.nullable.get(`${range.relid}.${column}`);
    if (range.rtekind === "1")
      return columnsOf({ query: range.subquery as Tree, up: level, ctes: new Map() })[column - 1]?.();
    if (range.rtekind === "2") return nullable(listOf(range.joinaliasvars)[column - 1], level);
    if (range.rtekind === "5")
      return or(listOf(range.values_lists).map((row) => nullable(listOf(row)[column - 1], level)));
    if (range.rtekind !== "6") return undefined;
    for (let each: Level | undefined = level; each; each = each.up) {
      const cte = each.ctes.get(String(range.ctename));
      if (cte) return columnsOf({ query: cte.query, up: cte.level, ctes: new Map() })[column - 1]?.();
    }
    return undefined;
  }

  /** True if an outer join answers with nulls for a row of the range that does not exist. */
  function isOptional(join: Item | undefined, index: number): boolean {
    if (!isTree(join)) return false;
    if (join.tag === "FROMEXPR") return treesOf(join.fromlist).some((each) => isOptional(each, index));
    if (join.tag !== "JOINEXPR") return false;
    const [isLeft, isRight] = [join.larg, join.rarg].map((each) => holds(each, index));
    const mayLack =
      (join.jointype === "1" && isRight) ||
      (join.jointype === "3" && isLeft) ||
      (join.jointype === "2" && (isLeft || isRight));
    return Boolean(mayLack) || [join.larg, join.rarg].some((each) => isOptional(each, index));
  }

  function holds(join: Item | undefined, index: number): boolean {
    if (!isTree(join)) return false;
    if (join.tag === "RANGETBLREF") return Number(join.rtindex) === index;
    return (
      Number(join.rtindex) === index ||
      [join.larg, join.rarg, ...treesOf(join.fromlist)].some((each) => holds(each, index))
    );
  }

  /** True if a condition that every row meets is never met by a null in the column. */
  function isRequired(join: Item | undefined, variable: Tree): boolean {
    if (!isTree(join)) return false;
    const inner =
      join.tag === "FROMEXPR" ? treesOf(join.fromlist) : join.jointype === "0" ? [join.larg, join.rarg] : [];
    const condition = join.tag === "FROMEXPR" || join.jointype === "0" ? join.quals : undefined;
    return refusesNull(condition, variable) || inner.some((each) => isRequired(each, variable));
  }

  function refusesNull(condition: Item | undefined, variable: Tree): boolean {
    if (!isTree(condition)) return false;
    const isSame = (each: Item | undefined) =>
      isTree(each) &&
      each.tag === "VAR" &&
      each.varno === variable.varno &&
      each.varattno === variable.varattno &&
      each.varlevelsup === "0";
    if (/^BOOLEXPR/.test(condition.tag)) {
      const parts = listOf(condition.args);
      return condition.boolop === "and"
        ? parts.some((each) => refusesNull(each, variable))
        : condition.boolop === "or" && parts.every((each) => refusesNull(each, variable));
    }
    if (condition.tag === "NULLTEST") return condition.nulltesttype === "1" && isSame(condition.arg);
    if (condition.tag !== "OPEXPR" && !/^SCALARARRAYOP/.test(condition.tag)) return false;
    const decides = (each: Item | undefined): boolean =>
      isSame(each) ||
      (isTree(each) &&
        (each.tag === "OPEXPR"
          ? listOf(each.args).some(decides)
          : /^(RELABELTYPE|COERCEVIAIO)$/.test(each.tag) && decides(each.arg)));
    return listOf(condition.args).some(decides);
  }
}
