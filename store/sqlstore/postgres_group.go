package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
)

// postgresGroup makes appends and returns the writers of those that it made.
// Arrays are texts, because not every driver has array parameters. The data of
// all records are one parameter, with the place and the size of each.
const postgresGroup = `WITH a AS (
	SELECT * FROM unnest(?::text::bytea[], ?::text::bigint[], ?::text::bigint[], ?::text::bigint[])
		AS a (name, after, head, writer)
), created AS (
	INSERT INTO qed_threads (name, head, written, writer)
		SELECT name, head, ` + postgresClock + `, writer FROM a WHERE after = 0
		ON CONFLICT (name) DO NOTHING RETURNING id, written, writer
), moved AS (
	UPDATE qed_threads t SET head = a.head, written = ` + postgresClock + `, writer = a.writer FROM a
		WHERE a.after > 0 AND t.name = a.name AND t.head = a.after RETURNING t.id, t.written, t.writer
), t AS (
	SELECT * FROM created UNION ALL SELECT * FROM moved
), h AS (
	INSERT INTO qed_headers (thread, ` + headerColumns + `, created, updated)
		SELECT id, ` + headerColumns + `, written, written
		FROM t JOIN unnest(?::text::bigint[], ?::text::bytea[], ?::text::bytea[], ?::text::bytea[], ?::text::bytea[],
			?::text::bigint[], ?::text::bigint[]) AS v (writer, ` + headerColumns + `) USING (writer)
		` + postgresReplace + `
), r AS (
	INSERT INTO qed_records (thread, seq, written, kind, run, address, data)
		SELECT t.id, v.seq, v.written, v.kind, v.run, v.address, substring(?::bytea FROM v.place FOR v.size)
		FROM t JOIN unnest(?::text::bigint[], ?::text::bigint[], ?::text::bigint[], ?::text::bytea[], ?::text::bigint[],
			?::text::bytea[], ?::text::int[], ?::text::int[])
			AS v (writer, seq, written, kind, run, address, place, size) USING (writer)
)
SELECT writer FROM t`

func (e postgres) appendGroup(ctx context.Context, on session, group []*appending) error {
	byWriter := map[int64]*appending{}
	threads, headers, records := make(columns, 4), make(columns, 7), make(columns, 8)
	var data []byte
	for _, a := range group {
		a.made = false
		byWriter[a.id] = a
		threads.add(a.thread, a.after, a.head(), a.id)
		if h := a.header(); h != nil {
			headers.add(a.id, h.User, h.Tenant, h.Title, string(h.Status), int64(h.Turns), int64(h.Lease))
		}
		for i := range a.records {
			rec := &a.records[i]
			var size any // NULL if there are no data
			if len(rec.Data) > 0 {
				size = int64(len(rec.Data))
			}
			records.add(a.id, a.after+1+int64(i), rec.Time.UnixMicro(), string(rec.Kind), rec.Run, rec.Address,
				int64(len(data)+1), size)
			data = append(data, rec.Data...)
		}
	}
	args := append(append(threads.params(), headers.params()...), data)
	return on.query(ctx, postgresGroup, append(args, records.params()...), func(rows *sql.Rows) error {
		for rows.Next() {
			var writer int64
			if err := rows.Scan(&writer); err != nil {
				return err
			}
			if a := byWriter[writer]; a != nil {
				a.made = true
			}
		}
		return rows.Err()
	})
}

// columns are the elements of arrays of PostgreSQL. They are int64, string (as
// bytes) or nil.
type columns [][]byte

// add adds an element to each array.
func (c columns) add(row ...any) {
	for i, v := range row {
		if len(c[i]) > 0 {
			c[i] = append(c[i], ',')
		}
		switch v := v.(type) {
		case int64:
			c[i] = strconv.AppendInt(c[i], v, 10)
		case string:
			c[i] = fmt.Appendf(c[i], `"\\x%x"`, v)
		case nil:
			c[i] = append(c[i], "NULL"...)
		}
	}
}

// params returns the arrays as parameters.
func (c columns) params() (params []any) {
	for _, elements := range c {
		params = append(params, "{"+string(elements)+"}")
	}
	return params
}
