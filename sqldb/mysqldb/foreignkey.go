package mysqldb

import (
	"context"
	"fmt"
	"strings"
)

// foreignKeys adds the declared keys. With foreign_key_checks off, one can be
// declared that leads nowhere; those are skipped, and so is one that leads into
// another database.
func (r *introspection) foreignKeys(ctx context.Context) error {
	rows, err := r.query(ctx, `
		SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME,
			IF(REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA, '', REFERENCED_TABLE_SCHEMA), REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
		FROM information_schema.KEY_COLUMN_USAGE
		WHERE TABLE_SCHEMA = `+r.current+` AND REFERENCED_TABLE_NAME IS NOT NULL
		ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`)
	if err != nil {
		return err
	}
	for _, group := range groups(rows) {
		table, database, target := group[0][0], group[0][3], group[0][4]
		var from, to []string
		for _, row := range group {
			from, to = append(from, row[2]), append(to, row[5])
		}
		if err := r.relate(table, from, database, target, to); err != nil {
			r.skipped(table, fmt.Sprintf("foreign key (%s): %v", strings.Join(from, ", "), err))
		}
	}
	return nil
}

func (r *introspection) relate(table string, from []string, database, target string, to []string) error {
	name, ok := r.names[r.fold(target)]
	switch {
	case database != "":
		return fmt.Errorf("it leads into the database %s", database)
	case !ok:
		return fmt.Errorf("there is no table %s, or this account may not see it", target)
	}
	return r.schema.AddForeignKey(table, from, name, to)
}
