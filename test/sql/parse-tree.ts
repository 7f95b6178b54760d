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
const isTree = (item: Item | undefined): item is Tree => typeof item === "object" && !Array.isArray(item);
const treesOf = (item: Item | undefined): Tree[] => listOf(item).filter(isTree);

/** Facts of the schema that the tree refers to by their numbers. */
export interface Catalog {
  /** Whether a column of a table may be null, by `table.column`. */
  nullable: ReadonlyMap<string, boolean>;
  functions: ReadonlyMap<string, { name: string; isStrict: boolean }>;
  /** The function of every operator. */
  operators: ReadonlyMap<string, string>;
}

/** True if the values of a column may be null, false if none is, undefined if the rules below do not decide it. */
export type Nullable = boolean | undefined;

// Functions that return null only for a null argument.
const PLAIN =
  /^(now|clock_timestamp|make_interval|to_json|to_jsonb|json(b)?_build_(object|array)|date_trunc|lower|upper|length|concat|format)$/;
// Operators that may find nothing.
const LOOKUP = /^json(b)?_(object_field|array_element|extract_path)(_text)?$/;
// The numbers by which the tree calls its kinds of commands, ranges, joins, subqueries and tests.
const [SELECT, TABLE, SUBQUERY, CTE] = ["1", "0", "1", "6"];
const [INNER, LEFT, SCALAR, IS_NOT_NULL] = ["0", "1", "4", "1"];

interface Level {
  query: Tree;
  up?: Level;
}

const or = (values: Nullable[]): Nullable =>
  values.includes(true) ? true : values.includes(undefined) ? undefined : false;
const and = (values: Nullable[]): Nullable =>
  values.includes(false) ? false : values.includes(undefined) ? undefined : true;

/** Returns for every column of a statement's rows whether it may be null. */
export function nullableColumns(tree: Tree, catalog: Catalog): Nullable[] {
  return columnsOf({ query: tree }).map((each) => each());

  function columnsOf(level: Level): (() => Nullable)[] {
    const { query } = level;
    if (isTree(query.setOperations)) {
      const branches = leavesOf(query.setOperations).map((index) =>
        columnsOf({ query: rangeOf(level, index).subquery as Tree, up: level }),
      );
      return (branches[0] ?? []).map((_, i) => () => or(branches.map((branch) => branch[i]?.())));
    }
    const targets = treesOf(query.commandType === SELECT ? query.targetList : query.returningList);
    const columns = targets.filter(({ resjunk }) => resjunk !== "true");
    return columns.map(
      ({ expr }) =>
        () =>
          nullable(expr, level),
    );
  }

  function leavesOf(operation: Tree): number[] {
    if (operation.tag === "RANGETBLREF") return [Number(operation.rtindex)];
    return treesOf([operation.larg ?? "", operation.rarg ?? ""]).flatMap(leavesOf);
  }

  function rangeOf({ query }: Level, index: number): Tree {
    return treesOf(query.rtable)[index - 1] as Tree;
  }

  function nullable(expression: Item | undefined, level: Level): Nullable {
    if (!isTree(expression)) return undefined;
    const { tag } = expression;
    const args = listOf(expression.args);
    const parts = () => args.map((each) => nullable(each, level));
    if (tag === "VAR") return ofVariable(expression, level);
    if (tag === "CONST") return expression.constisnull === "true";
    if (/^(COALESCE|COALESCEEXPR|MINMAX|MINMAXEXPR)$/.test(tag)) return and(parts());
    if (/^(NULLTEST|BOOLEANTEST|DISTINCTEXPR)$/.test(tag)) return false;
    if (/^(RELABELTYPE|COERCEVIAIO)$/.test(tag)) return nullable(expression.arg, level);
    if (/^CASE/.test(tag)) return ofCase(expression, level);
    if (/^(AGGREF|WINDOWFUNC)$/.test(tag)) return ofAggregate(expression, level);
    if (tag === "SUBLINK") return ofSubquery(expression, level);
    if (tag !== "FUNCEXPR" && tag !== "OPEXPR") return undefined;
    const id = tag === "FUNCEXPR" ? expression.funcid : catalog.operators.get(String(expression.opno));
    const { name = "", isStrict } = catalog.functions.get(String(id)) ?? {};
    const isCast = tag === "FUNCEXPR" && expression.funcformat !== "0";
    if (LOOKUP.test(name) || !(tag === "OPEXPR" || isCast || PLAIN.test(name))) return undefined;
    return isStrict ? or(parts()) : false;
  }

  function ofCase({ args, defresult }: Tree, level: Level): Nullable {
    // A branch is taken only for rows that meet its condition, in which a column may never be null.
    const branches = treesOf(args).map(({ result }) =>
      isTree(result) && result.constisnull === "true" ? true : nullable(result, level) === false ? false : undefined,
    );
    return or([...branches, isTree(defresult) ? nullable(defresult, level) : true]);
  }

  function ofAggregate({ tag, aggfnoid, winfnoid }: Tree, { query }: Level): Nullable {
    const name = catalog.functions.get(String(aggfnoid ?? winfnoid))?.name ?? "";
    if (/^(count|row_number)$/.test(name)) return false;
    // Without groups there is a row even if no row is aggregated.
    return tag === "AGGREF" && listOf(query.groupClause).length === 0 ? true : undefined;
  }

  function ofSubquery({ subLinkType, subselect }: Tree, level: Level): Nullable {
    if (subLinkType !== SCALAR) return undefined;
    const query = subselect as Tree;
    const isOneRow = query.hasAggs === "true" && listOf(query.groupClause).length === 0 && !isTree(query.havingQual);
    return isOneRow ? columnsOf({ query, up: level })[0]?.() : undefined;
  }

  function ofVariable(variable: Tree, from: Level): Nullable {
    let level: Level | undefined = from;
    for (let up = Number(variable.varlevelsup); up > 0; up--) level = level?.up;
    if (!level) return undefined;
    const [index, column] = [Number(variable.varno), Number(variable.varattno)];
    const written = writtenTo(level, index, column);
    if (written) return nullable(written, { ...level, query: { ...level.query, commandType: SELECT } });
    if (isRequired(level.query.jointree, variable)) return false;
    return isOptional(level.query.jointree, index) ? true : ofRange(level, index, column);
  }

  /** The value that the statement itself writes into the column. */
  function writtenTo({ query }: Level, index: number, column: number): Item | undefined {
    if (query.commandType === SELECT || Number(query.resultRelation) !== index || isTree(query.onConflict)) return;
    return treesOf(query.targetList).find(({ resno, resjunk }) => Number(resno) === column && resjunk !== "true")?.expr;
  }

  function ofRange(level: Level, index: number, column: number): Nullable {
    const range = rangeOf(level, index);
    if (range.rtekind === TABLE) return catalog.nullable.get(`${range.relid}.${column}`);
    if (range.rtekind === SUBQUERY) return columnsOf({ query: range.subquery as Tree, up: level })[column - 1]?.();
    if (range.rtekind !== CTE) return undefined;
    // What a recursive query reads of itself comes from its branches.
    if (range.self_reference === "true") return false;
    for (let each: Level | undefined = level; each; each = each.up) {
      const cte = treesOf(each.query.cteList).find(({ ctename }) => ctename === range.ctename);
      if (cte) return columnsOf({ query: cte.ctequery as Tree, up: each })[column - 1]?.();
    }
    return undefined;
  }

  /** True if an outer join returns nulls for a row of the range that does not exist. */
  function isOptional(join: Item | undefined, index: number): boolean {
    if (!isTree(join)) return false;
    const { larg = "", rarg = "", jointype } = join;
    if (join.tag === "JOINEXPR" && jointype !== INNER && holds(jointype === LEFT ? rarg : join, index)) return true;
    return [larg, rarg, ...listOf(join.fromlist)].some((each) => isOptional(each, index));
  }

  function holds(join: Item, index: number): boolean {
    if (!isTree(join)) return false;
    if (join.tag === "RANGETBLREF") return Number(join.rtindex) === index;
    return [join.larg ?? "", join.rarg ?? "", ...listOf(join.fromlist)].some((each) => holds(each, index));
  }

  /** True if a condition that every row meets is never met by a null in the column. */
  function isRequired(join: Item | undefined, variable: Tree): boolean {
    if (!isTree(join) || (join.tag !== "FROMEXPR" && join.jointype !== INNER)) return false;
    return refusesNull(join.quals, variable) || listOf(join.fromlist).some((each) => isRequired(each, variable));
  }

  function refusesNull(condition: Item | undefined, variable: Tree): boolean {
    if (!isTree(condition)) return false;
    const args = listOf(condition.args);
    if (condition.boolop === "and") return args.some((each) => refusesNull(each, variable));
    if (condition.tag === "NULLTEST") return condition.nulltesttype === IS_NOT_NULL && isSame(condition.arg, variable);
    return /^(OPEXPR|SCALARARRAYOP)/.test(condition.tag) && args.some((each) => isNullWith(each, variable));
  }

  /** True if the expression is null whenever the column is. */
  function isNullWith(expression: Item, variable: Tree): boolean {
    if (isSame(expression, variable)) return true;
    if (!isTree(expression)) return false;
    if (expression.tag === "OPEXPR") return listOf(expression.args).some((each) => isNullWith(each, variable));
    return /^(RELABELTYPE|COERCEVIAIO)$/.test(expression.tag) && isNullWith(expression.arg ?? "", variable);
  }

  function isSame(item: Item | undefined, { varno, varattno }: Tree): boolean {
    return isTree(item) && item.varno === varno && item.varattno === varattno && item.varlevelsup === "0";
  }
}
