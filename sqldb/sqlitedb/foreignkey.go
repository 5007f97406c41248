package sqlitedb

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
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
		var from, to []string
		for ; start < len(rows) && rows[start][0] == first[0] && rows[start][1] == first[1]; start++ {
			from, to = append(from, rows[start][3]), append(to, rows[start][4])
		}
		if err := r.relate(first[0], from, first[2], to); err != nil {
			r.skipped(first[0], fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
		}
	}
	return nil
}

func (r *introspection) relate(table string, from []string, target string, to []string) error {
	name, ok := r.names[ascii.Lower(target)]
	if !ok {
		return fmt.Errorf("there is no table %s", target)
	}
	there := r.schema.Tables[name]
	if there.View {
		return fmt.Errorf("%s is a view", target)
	}
	if to[0] == "" { // the key refers to the primary key
		if len(there.PrimaryKey) != len(from) {
			return fmt.Errorf("the primary key of %s has %d columns", name, len(there.PrimaryKey))
		}
		to = there.PrimaryKey
	}
	return r.schema.AddForeignKey(table, from, name, to)
}

// place reads a number that SQLite wrote.
func place(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
