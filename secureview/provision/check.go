package provision

import (
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/rowfilter"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// A checker checks the setup of a policy.
type checker struct {
	policy *secureview.Policy
	tables []secureview.Table
	server *server
}

// check checks that the setup of a policy fits its tables and the server.
func check(p *secureview.Policy, tables []secureview.Table, s *server) error {
	c := checker{policy: p, tables: tables, server: s}
	if _, err := s.account(p.Setup.Account); err != nil {
		return invalid("setup.account", "%v", err)
	}
	if err := c.key(); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Setup.Tables)) {
		if err := c.table(name); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if err := c.condition(t); err != nil {
			return err
		}
	}
	return nil
}

// condition checks the filter of [secureview.Policy.Filters] of a table.
func (c checker) condition(t secureview.Table) error {
	if t.Filter == "" {
		return nil
	}
	name := display(c.policy, t)
	entry := fmt.Sprintf("filters[%q]", name)
	f, err := rowfilter.Parse(t.Filter, t.Name)
	if err != nil {
		return invalid(entry, "%v", err)
	}
	for _, column := range f.Columns {
		if _, ok := encryption(c.policy.Setup.Tables[name], column); ok {
			return invalid(entry, "compares %q, which is encrypted: a filter compares what is stored", column)
		}
	}
	for _, setting := range f.Parameters {
		if err := c.filterSetting(entry, setting); err != nil {
			return err
		}
	}
	return nil
}

func (c checker) key() error {
	k := c.policy.Setup.Key
	if k == nil {
		return nil
	}
	if err := c.server.setting(k.Setting); err != nil {
		return invalid("setup.key.setting", "%v", err)
	}
	if k.Schema != "" {
		if err := c.server.extensionSchema(k.Schema); err != nil {
			return invalid("setup.key.schema", "%v", err)
		}
	}
	return nil
}

// table checks the entry of one table.
func (c checker) table(name string) error {
	entry, s := fmt.Sprintf("setup.tables[%q]", name), c.policy.Setup.Tables[name]
	t, err := c.find(name)
	if err != nil {
		return invalid(entry, "%v", err)
	}
	switch {
	case t.View == "" && len(s.Encrypted) > 0:
		return invalid(entry+".encrypted", "needs a view that decrypts: views lists none for the table")
	case t.View == "" && len(s.Filters) > 0 && !c.server.rowSecurity:
		return invalid(entry+".filters", "need a view that applies them: views lists none for the table")
	case len(s.Encrypted) > 0 && c.policy.Setup.Key == nil:
		return invalid(entry+".encrypted", "needs a key: setup.key is missing")
	}
	if err := c.encrypted(entry, t, s); err != nil {
		return err
	}
	for i, f := range s.Filters {
		if err := c.filter(fmt.Sprintf("%s.filters[%d]", entry, i), s, f); err != nil {
			return err
		}
	}
	return nil
}

// encrypted checks the encrypted columns of a table.
func (c checker) encrypted(entry string, t secureview.Table, s secureview.TableSetup) error {
	seen := map[string]bool{}
	for _, column := range slices.Sorted(maps.Keys(s.Encrypted)) {
		at, as := fmt.Sprintf("%s.encrypted[%q]", entry, column), s.Encrypted[column]
		if err := sqlast.CheckName(column); err != nil {
			return invalid(at, "%v", err)
		}
		if seen[ascii.Lower(column)] {
			return invalid(at, "occurs twice, in different letter case")
		}
		seen[ascii.Lower(column)] = true
		listed := slices.ContainsFunc(t.Columns, func(c string) bool { return ascii.EqualFold(c, column) })
		// An encrypted column need not be listed. A longer name that is similar to a
		// listed one is a typing error; shorter names are similar to too many.
		if like := refusal.Nearest(column, t.Columns, 1); !listed && len(column) >= 4 && len(like) > 0 {
			return invalid(at, "is not a column that the policy lists; did you mean %q?", like[0])
		}
		if !c.server.types.MatchString(as) {
			return invalid(at, "has the type %q, which is none of: %s", as, c.server.typeNames)
		}
	}
	return nil
}

func (c checker) filter(entry string, s secureview.TableSetup, f secureview.Filter) error {
	if err := sqlast.CheckName(f.Column); err != nil {
		return invalid(entry+".column", "%v", err)
	}
	if _, ok := encryption(s, f.Column); ok {
		return invalid(entry+".column", "is %q, which is encrypted: a filter compares what is stored", f.Column)
	}
	return c.filterSetting(entry+".setting", f.Setting)
}

// filterSetting checks the name of a setting that a filter compares.
func (c checker) filterSetting(entry, setting string) error {
	if err := c.server.setting(setting); err != nil {
		return invalid(entry, "%v", err)
	}
	if k := c.policy.Setup.Key; k != nil && ascii.EqualFold(setting, k.Setting) {
		return invalid(entry, "is %q, which holds the key", setting)
	}
	return nil
}

// find returns the table that an entry of the setup names.
func (c checker) find(name string) (secureview.Table, error) {
	var hint string
	for _, t := range c.tables {
		display := display(c.policy, t)
		switch {
		case display == name:
			return t, nil
		case ascii.EqualFold(display, name):
			hint = fmt.Sprintf("; the policy spells it %q", display)
		case t.View != "" && ascii.EqualFold(t.View, name):
			hint = fmt.Sprintf("; it is the view of %q: use that name", display)
		}
	}
	return secureview.Table{}, fmt.Errorf("is not a table of the policy%s", hint)
}

// encryption returns the type of a column's decrypted values, and whether the
// column is encrypted.
func encryption(s secureview.TableSetup, column string) (as string, encrypted bool) {
	for name, as := range s.Encrypted {
		if ascii.EqualFold(name, column) {
			return as, true
		}
	}
	return "", false
}
