package mysqldb

import (
	"context"

	"github.com/qedkit/qed/internal/declared"
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
		key, database, target := declared.Key{From: group[0][0]}, group[0][3], group[0][4]
		for _, row := range group {
			key.FromColumns = append(key.FromColumns, row[2])
			key.ToColumns = append(key.ToColumns, row[5])
		}
		if problem := r.relate(key, database, target); problem != "" {
			r.skipped(key.From, declared.Unusable(key.FromColumns, problem))
		}
	}
	return nil
}

func (r *introspection) relate(key declared.Key, database, target string) (problem string) {
	var ok bool
	key.To, ok = r.names[r.fold(target)]
	switch {
	case database != "":
		return "it leads into the database " + database
	case !ok:
		return "there is no table " + target + ", or this account may not see it"
	}
	return declared.Relate(r.schema, key)
}
