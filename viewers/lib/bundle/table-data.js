// Tables as columns. 40,000 rows are a dozen arrays; a row becomes an object when somebody looks at it.

/** @typedef {(row: any, index: number) => any} Finish adds what the reader knows beside the columns */

export class Table {
  /**
   * @param {Record<string, any>} columns arrays of equal length; anything else is ignored
   * @param {number} length @param {Finish} [finish] @param {number} [first] index of row 0
   */
  constructor(columns, length, finish = (row) => row, first = 0) {
    this.columns = columns;
    this.length = length;
    this.finish = finish;
    this.first = first;
    this.names = Object.keys(columns).filter((name) => Array.isArray(columns[name]) && columns[name].length === length);
  }

  /** One table of several chunks. @param {Record<string, any>[]} parts @param {number} first @param {Finish} finish */
  static join(parts, first, finish) {
    if (parts.length === 1) return new Table(parts[0], parts[0].kind_index.length, finish, first);
    /** @type {Record<string, any>} */
    const columns = {};
    for (const name of Object.keys(parts[0] ?? { kind_index: [] })) {
      if (parts.length === 0 || Array.isArray(parts[0][name])) columns[name] = parts.flatMap((part) => part[name]);
    }
    return new Table(columns, columns.kind_index.length, finish, first);
  }

  /** @param {number} i */
  row(i) {
    /** @type {Record<string, any>} */
    const row = {};
    for (const name of this.names) row[name] = this.columns[name][i];
    return this.finish(row, this.first + i);
  }

  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; i++) yield this.row(i);
  }
}

/** Some rows of a table, in some order. */
export class Selection {
  /** @param {Table} table @param {number[]} rows */
  constructor(table, rows) {
    this.table = table;
    this.rows = rows;
  }

  get length() {
    return this.rows.length;
  }

  /** @param {number} i */
  row(i) {
    return this.table.row(this.rows[i]);
  }

  *[Symbol.iterator]() {
    for (const i of this.rows) yield this.table.row(i);
  }
}
