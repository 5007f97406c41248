package sqlitedb

import (
	"context"
	"fmt"
	"strconv"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/declared"
)

// foreignKeys adds the declared keys, in the order of their declaration. SQLite
// lets a schema declare keys that lead nowhere; those are skipped.
func (r *introspection) foreignKeys(ctx context.Context, c *conn) error {
	rows, err := c.scan(ctx, `
		SELECT t.name, f.id, f."table", f."from", f."to"
		FROM (SELECT m.name, m.rowid AS place`+ordinary+`) AS t
		CROSS JOIN pragma_foreign_key_list(t.name, 'main') AS f
		ORDER BY t.place, f.id DESC, f.seq`)
	if err != nil {
		return err
	}
	for start := 0; start < len(rows); {
		first := rows[start]
		key := declared.Key{From: first[0]}
		for ; start < len(rows) && rows[start][0] == first[0] && rows[start][1] == first[1]; start++ {
			key.FromColumns = append(key.FromColumns, rows[start][3])
			key.ToColumns = append(key.ToColumns, rows[start][4])
		}
		if problem := r.relate(key, first[2]); problem != "" {
			r.skipped(key.From, declared.Unusable(key.FromColumns, problem))
		}
	}
	return nil
}

func (r *introspection) relate(key declared.Key, target string) (problem string) {
	var ok bool
	if key.To, ok = r.names[ascii.Lower(target)]; !ok {
		return "there is no table " + target
	}
	there := r.schema.Tables[key.To]
	if there.View {
		return target + " is a view"
	}
	if key.ToColumns[0] == "" { // the primary key is meant
		if len(there.PrimaryKey) != len(key.FromColumns) {
			return fmt.Sprintf("the primary key of %s has %d columns", key.To, len(there.PrimaryKey))
		}
		key.ToColumns = there.PrimaryKey
	}
	return declared.Relate(r.schema, key)
}

// place reads a number that SQLite wrote.
func place(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
