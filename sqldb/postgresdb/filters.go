package postgresdb

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/rowfilter"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// readFilters adds the settings by which the policy's setup filters the rows of
// an object: of the view, if a table has one.
func (n *needs) readFilters(p *secureview.Policy) {
	n.filters = map[name][]string{}
	for table, t := range p.Setup.Tables {
		if len(t.Filters) == 0 {
			continue
		}
		object, views := name{p.Schema, table}, p.Views
		for schema, more := range p.Schemas {
			if bare, ok := strings.CutPrefix(table, schema+"."); ok {
				object, views = name{schema, bare}, more.Views
			}
		}
		if view, ok := views[object.name]; ok {
			object.name = view
		}
		for _, f := range t.Filters {
			n.filters[object] = append(n.filters[object], f.Setting)
		}
	}
	n.readConditions(p.Schema, p.Filters, p.Views)
	for schema, s := range p.Schemas {
		n.readConditions(schema, s.Filters, s.Views)
	}
}

// readConditions adds the settings that the conditions of [secureview.Policy.Filters] read.
func (n *needs) readConditions(schema string, filters, views map[string]string) {
	for table, text := range filters {
		object := name{schema, cmp.Or(views[table], table)}
		if f, err := rowfilter.Parse(text, table); err == nil {
			n.filters[object] = append(n.filters[object], f.Parameters...)
		}
	}
}

// filtered adds the findings about objects whose rows are not filtered by a
// setting of the setup: a view that does not read the setting, or a table
// without row-level security for the account. One restrictive policy that reads
// it is enough. Of permissive policies all must, because each of them shows
// rows by itself.
func (k *check) filtered(ctx context.Context) error {
	if len(k.filters) == 0 {
		return nil
	}
	type protection struct {
		view, on                bool
		definition              string
		restrictive, permissive keyset.Names
	}
	there := map[name]protection{}
	var n name
	var p protection
	err := keyset.Each(ctx, k.tx, `
		SELECT n.nspname, c.relname, c.relkind = 'v', c.relrowsecurity,
			CASE WHEN c.relkind = 'v' THEN pg_get_viewdef(c.oid) ELSE '' END,
			json_agg(pg_get_expr(p.polqual, p.polrelid)) FILTER (WHERE NOT p.polpermissive),
			json_agg(coalesce(pg_get_expr(p.polqual, p.polrelid), '')) FILTER (WHERE p.polpermissive)
		FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		LEFT JOIN pg_policy AS p ON p.polrelid = c.oid AND p.polcmd IN ('r', '*')
			AND EXISTS (SELECT FROM unnest(p.polroles) AS r(id)
				WHERE r.id = 0 OR pg_has_role(`+literal(k.account)+`::name, r.id, 'MEMBER'))
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname IN (`+literals(k.schemas)+`)
		GROUP BY n.nspname, c.relname, c.relkind, c.relrowsecurity, c.oid`,
		[]any{&n.schema, &n.name, &p.view, &p.on, &p.definition, &p.restrictive, &p.permissive}, func() {
			there[n] = p
		})
	if err != nil {
		return err
	}
	for _, n := range slices.SortedFunc(maps.Keys(k.filters), byName) {
		p, ok := there[n]
		if !ok {
			continue // readable reports it
		}
		if !p.view && !p.on {
			k.add(sqldb.CanBypassPolicy, n.String(),
				"nothing filters the rows of "+n.String()+": row-level security is off",
				"ALTER TABLE "+n.quoted()+" ENABLE ROW LEVEL SECURITY")
			continue
		}
		for _, setting := range k.filters[n] {
			reads := func(text string) bool { return strings.Contains(ascii.Lower(text), ascii.Lower(setting)) }
			ignores := func(text string) bool { return !reads(text) }
			switch {
			case p.view && reads(p.definition):
			case !p.view && slices.ContainsFunc(p.restrictive, reads):
			case !p.view && len(p.permissive) > 0 && !slices.ContainsFunc(p.permissive, ignores):
			default:
				k.add(sqldb.CanBypassPolicy, n.String(),
					"nothing filters the rows of "+n.String()+" by the setting "+setting+": run the script of provision.SQL",
					"")
			}
		}
	}
	return nil
}
