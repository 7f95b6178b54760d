import type { CamelCase, Column, Relations, Row, SnakeCase } from "@gantry/db";
import type { CollectionModel } from "./collections.js";

/** The model of a resource type. */
export type ModelOf<Type> = CamelCase<Type> & CollectionModel;

/**
 * The dependence of a resource on a record that it refers to:
 * - `parent`: the record must exist for as long as the resource does
 * - `whole`: the same, and the resource is a part of the record, deleted and restored with it
 * - `other`: the resource may outlive the record
 */
export type ReferenceRole = "parent" | "whole" | "other";

type Target<Relation> =
  NonNullable<Relation> extends { name: infer Name extends string } ? SnakeCase<Uncapitalize<Name>> : null;

// A reference is named as its column without `_id`. Only one that is named as the type of its target may be a parent. Every
// resource belongs to an account, which the catalogue does not repeat.
export type References<Type, Types> = {
  [R in keyof Relations<ModelOf<Type>> as Target<Relations<ModelOf<Type>>[R]> extends Types
    ? SnakeCase<R>
    : never]: SnakeCase<R> extends Types ? ReferenceRole : "other";
};

/** The facts about one resource type. */
export interface ResourceFacts<ColumnName = string> {
  /** The words for one record in messages, if they differ from the type's. */
  readonly name?: string;
  /** False if a removed record leaves no row with `deleted_at`. */
  readonly deletable?: false;
  /** The relations to other resources: their columns without `_id`, each with its role. */
  readonly references: Readonly<Record<string, ReferenceRole>>;
  /** The cloud objects that a record represents: their kinds in the ledger, and the column of their id in AWS. */
  readonly cloudObject: { readonly kinds: readonly string[]; readonly column: ColumnName } | null;
  /** True if its records have their own tags, which their cloud objects get. */
  readonly tagged?: true;
  /** True if its removal takes several cloud objects: a removal that failed between two leaves `removal_started_at`. */
  readonly removedInParts?: true;
  /** The column of the name that its cloud objects have as their tag `Name`; if absent, a name that Gantry makes. */
  readonly nameTag?: ColumnName;
  /** A cloud object of another kind that a record may also hold. */
  readonly heldObject?: { readonly kinds: readonly string[]; readonly column: ColumnName };
  /** True if a record stays when its whole is removed, unless a Request on the whole created its cloud object. */
  readonly staysUnlessMadeWithWhole?: true;
  /** The columns of encrypted secrets. */
  readonly sealed?: readonly ColumnName[];
  /** What the events of its records leave out; null if a change of a record is no event of its own. */
  readonly events: EventFacts<ColumnName> | null;
  readonly drift?: DriftFacts<ColumnName>;
}

/** What the events of a resource leave out. */
export interface EventFacts<ColumnName = string> {
  /** The columns that no event shows, besides those of encrypted secrets. */
  readonly hidden?: readonly ColumnName[];
  /** A change of only these columns, and of `updated_at`, is no event. */
  readonly silent?: readonly ColumnName[];
}

/** What a drift scan compares of the records of a resource. */
export interface DriftFacts<ColumnName = string> {
  readonly columns: readonly ColumnName[];
  /** Those of the columns that hold JSON, which findings show as a text. */
  readonly documents?: readonly ColumnName[];
  /** True if its objects belong to no region: the scan of the provider's first region compares them. */
  readonly global?: true;
  /** Those of the columns that AWS changes by itself: the record follows them without a finding. */
  readonly followed?: readonly ColumnName[];
  /** The state of a record whose object AWS no longer has; absent if its records have no state. */
  readonly goneState?: string;
}

/** The facts about a resource whose records a drift scan compares with AWS. */
export type ComparedFacts = ResourceFacts & { cloudObject: object; drift: DriftFacts };

/** The facts about a resource, complete as far as its model shows. The catalogue adds its references. */
export type FactsOf<Type> = ResourceFacts<Column<ModelOf<Type>>> & {
  tagged?: "tags" extends keyof Row<ModelOf<Type>> ? true : never;
} & ("removalStartedAt" extends keyof Row<ModelOf<Type>> ? { removedInParts: true } : { removedInParts?: never }) &
  ("deletedAt" extends keyof Row<ModelOf<Type>> ? { deletable?: never } : { deletable: false }) &
  ("disappearedAt" extends keyof Row<ModelOf<Type>> ? { cloudObject: object; drift: object } : { drift?: never });
