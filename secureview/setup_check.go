package secureview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// setupCheck checks the setup of a policy.
type setupCheck struct {
	setup   *Setup
	catalog *catalog
	server  *server
}

// checkSetup holds that a setup fits the policy that the catalog was made of.
func checkSetup(p *Policy, dialect string, c *catalog) error {
	s := p.Setup
	srv := servers[dialect]
	if srv == nil {
		return invalid("setup", "is for %s: %s has no accounts, and no settings of a session", strings.Join(slices.Sorted(maps.Keys(servers)), " and "), dialect)
	}
	check := setupCheck{s, c, srv}
	if _, err := srv.account(s.Account); err != nil {
		return invalid("setup.account", "%v", err)
	}
	if err := check.ownTables(); err != nil {
		return err
	}
	if err := check.key(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tables)) {
		if err := check.table(name); err != nil {
			return err
		}
	}
	return check.functions(p.Functions)
}

// functions holds that the policy lets no statement call what answers a setting.
func (c setupCheck) functions(allowed []string) error {
	hidden := map[string]bool{}
	for _, name := range c.server.hidden(c.setup) {
		hidden[ascii.Lower(name)] = true
	}
	for i, name := range allowed {
		if hidden[unqualified(name)] {
			return invalid(fmt.Sprintf("functions[%d]", i), "is %s(): statements that call it could read the key that a session has, or say who asks", name)
		}
	}
	return nil
}

// unqualified folds the name of a function and drops its schema.
func unqualified(function string) string {
	return ascii.Lower(function[strings.LastIndexByte(function, '.')+1:])
}

// ownTables refuses the tables that a server has of itself. They show what
// sessions were told, and cannot be granted like others.
func (c setupCheck) ownTables() error {
	for _, o := range c.catalog.objects {
		if !slices.Contains(c.server.schemas, ascii.Lower(o.Schema)) {
			continue
		}
		entry := "schema"
		if o.Schema != c.catalog.schema {
			entry = fmt.Sprintf("schemas[%q]", o.Schema)
		}
		return invalid(entry, "is %q, where the server shows what sessions were told, keys among it: no policy with a setup can have it", o.Schema)
	}
	return nil
}

func (c setupCheck) key() error {
	k := c.setup.Key
	if k == nil {
		return nil
	}
	if err := c.server.setting(k.Setting); err != nil {
		return invalid("setup.key.setting", "%v", err)
	}
	if k.Function != "" {
		if err := c.server.function(k.Function); err != nil {
			return invalid("setup.key.function", "%v", err)
		}
	}
	if k.Schema != "" {
		if err := c.server.extensionSchema(k.Schema); err != nil {
			return invalid("setup.key.schema", "%v", err)
		}
	}
	return nil
}

// table checks the entry of one table.
func (c setupCheck) table(name string) error {
	entry, t := fmt.Sprintf("setup.tables[%q]", name), c.setup.Tables[name]
	o, err := c.object(name)
	if err != nil {
		return invalid(entry, "%v", err)
	}
	hasView := o.Name != o.Logical
	switch {
	case !hasView && len(t.Encrypted) > 0:
		return invalid(entry+".encrypted", "needs a view that decrypts: views names none for the table")
	case !hasView && len(t.Filters) > 0 && !c.server.rowSecurity:
		return invalid(entry+".filters", "need a view that applies them: views names none for the table")
	case t.NoBarrier && (!hasView || len(t.Filters) == 0):
		return invalid(entry+".no_barrier", "is about a view with filters")
	case len(t.Encrypted) > 0 && c.setup.Key == nil:
		return invalid(entry+".encrypted", "needs a key: setup.key is missing")
	}
	seen := map[string]bool{}
	for _, column := range slices.Sorted(maps.Keys(t.Encrypted)) {
		at, as := fmt.Sprintf("%s.encrypted[%q]", entry, column), t.Encrypted[column]
		if err := validName(column); err != nil {
			return invalid(at, "%v", err)
		}
		if seen[ascii.Lower(column)] {
			return invalid(at, "occurs twice, in another case")
		}
		seen[ascii.Lower(column)] = true
		listed := slices.ContainsFunc(o.Columns, func(c string) bool { return ascii.EqualFold(c, column) })
		if like := refusal.Nearest(column, o.Columns, 1); !listed && len(column) >= 4 && len(like) > 0 { // shorter ones are like too many
			return invalid(at, "is no column that the policy lists; did you mean %q?", like[0])
		}
		if !c.server.types.MatchString(as) {
			return invalid(at, "is read as %q, which is none of: %s", as, c.server.typeNames)
		}
	}
	for i, f := range t.Filters {
		if err := c.filter(fmt.Sprintf("%s.filters[%d]", entry, i), t, f); err != nil {
			return err
		}
	}
	return nil
}

func (c setupCheck) filter(entry string, t SecureTable, f Filter) error {
	if err := validName(f.Column); err != nil {
		return invalid(entry+".column", "%v", err)
	}
	if err := c.server.setting(f.Setting); err != nil {
		return invalid(entry+".setting", "%v", err)
	}
	if _, encrypted := t.encryption(f.Column); encrypted {
		return invalid(entry+".column", "is %q, which is encrypted: a filter compares what is stored", f.Column)
	}
	k := c.setup.Key
	switch {
	case k == nil:
		return nil
	case ascii.EqualFold(f.Setting, k.Setting):
		return invalid(entry+".setting", "is %q, which holds the key", f.Setting)
	case ascii.EqualFold(accessor(f.Setting), k.accessor()):
		return invalid(entry+".setting", "would be answered by %s(), which answers the key: give setup.key.function another name", k.accessor())
	}
	return nil
}

// object is the table that a setup names.
func (c setupCheck) object(name string) (*sqlast.Object, error) {
	var found []*sqlast.Object
	var meant string
	for _, o := range c.catalog.objects {
		display := c.catalog.display(o)
		switch {
		case display == name:
			found = append(found, o)
		case ascii.EqualFold(display, name):
			meant = fmt.Sprintf("; the policy spells it %q", display)
		case ascii.EqualFold(o.Name, name):
			meant = fmt.Sprintf("; it is the view of %q: name that", display)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("is no table of the policy%s", meant)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("is the name of two tables of the policy")
}
