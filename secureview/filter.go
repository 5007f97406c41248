package secureview

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/rowfilter"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// Settings returns the names of the settings of a session that a policy needs, sorted: the
// parameters of its filters, and what the views and the row-level security of its Setup
// read.
func (p *Policy) Settings() []string {
	names := p.parameters()
	if p.Setup != nil {
		names = append(names, p.Setup.Settings()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// parameters returns the parameters of the filters.
func (p *Policy) parameters() (names []string) {
	add := func(filters map[string]string) {
		for table, text := range filters {
			if f, err := rowfilter.Parse(text, table); err == nil { // [New] reports the error
				names = append(names, f.Parameters...)
			}
		}
	}
	add(p.Filters)
	for _, s := range p.Schemas {
		add(s.Filters)
	}
	return names
}

// SettingFunctions returns the names of the stored functions that return these settings to
// the views in MySQL, sorted. There are none without a Setup.
func (p *Policy) SettingFunctions() []string {
	if p.Setup == nil {
		return nil
	}
	names := p.Setup.Functions()
	names = append(names, lists.Map(p.parameters(), functionOf)...)
	slices.Sort(names)
	return slices.Compact(names)
}

// AccountColumns returns the columns of each table that the account has to read: those of
// Tables, and those that the filter of a table without a view compares.
func (s Schema) AccountColumns() map[string][]string {
	all := maps.Clone(s.Tables)
	for table, text := range s.Filters {
		f, err := rowfilter.Parse(text, table)
		if _, hasView := s.Views[table]; !hasView && err == nil {
			all[table] = withColumns(all[table], f.Columns)
		}
	}
	return all
}

// withColumns returns a list of columns and those of more that it does not have.
func withColumns(list, more []string) []string {
	list = slices.Clip(list)
	for _, column := range more {
		if !slices.ContainsFunc(list, func(c string) bool { return ascii.EqualFold(c, column) }) {
			list = append(list, column)
		}
	}
	return list
}

// addFilters gives the tables of a schema their filters. The filter of a table with a
// view is in the view.
func (c *catalog) addFilters(at string, s Schema, setup *Setup, objects map[string]*sqlast.Object) error {
	for _, table := range slices.Sorted(maps.Keys(s.Filters)) {
		entry := fmt.Sprintf("%sfilters[%q]", at, table)
		o := objects[ascii.Lower(table)]
		f, err := rowfilter.Parse(s.Filters[table], table)
		switch {
		case o == nil:
			return invalid(entry, "is not a table of the policy")
		case o.Logical != table:
			return invalid(entry, "is the policy's %q: use that name", o.Logical)
		case err != nil:
			return invalid(entry, "%v", err)
		case len(f.Columns) == 0:
			return invalid(entry, "names no column")
		case setup != nil && len(setup.Tables[c.display(o)].Filters) > 0:
			return invalid(entry, "is also in setup.tables, which has other filters for the table: keep one of them")
		case o.Name == o.Logical:
			o.Filter = f
		case setup == nil:
			return invalid(entry, "is for a table that is read through the view %q, which no setup creates: "+
				"put the condition into the view, or read the table without one", o.Name)
		}
		c.filters[o] = s.Filters[table]
		if setup == nil {
			c.local = append(c.local, f.Parameters...)
		}
	}
	return nil
}

// maxBound is the largest text of a statement with the values of its filters.
const maxBound = 256 << 10

// Parameters returns the parameters of the filters of the tables that the statement reads,
// each once. Their values are settings of the session: see [Statement.Bind].
func (s *Statement) Parameters() []string {
	var names []string
	for _, c := range s.matches {
		names = lists.Add(names, c.parameter)
	}
	return names
}

// Bind returns the text to execute for a session with these settings, which has their
// values as literals in place of the parameters of filters, and the settings that the
// session of the database needs: those of the filters are left out, unless the views of
// [Policy.Setup] may read them. A value is a string, []byte, int or int64. Names are
// compared without case.
//
// If a parameter has no value or nil, Bind returns a [refusal.Error] with code
// [ErrMissingSetting]. An empty text is the value of no row.
func (s *Statement) Bind(settings map[string]any) (sql string, rest map[string]any, err error) {
	rest = maps.Clone(settings)
	maps.DeleteFunc(rest, func(name string, _ any) bool {
		return slices.ContainsFunc(s.local, func(l string) bool { return ascii.EqualFold(l, name) })
	})
	if len(s.matches) == 0 {
		return s.sql, rest, nil
	}
	var bound []byte
	for _, c := range s.matches {
		bound = append(bound, c.before...)
		values, err := c.values(settings)
		if err != nil {
			return "", nil, err
		}
		bound = s.dialect.AppendMatch(bound, c.column, values)
		if len(bound) > maxBound {
			return "", nil, problem(refusal.Problem{Code: ErrTooLarge, Name: c.parameter,
				Message: fmt.Sprintf("the setting %s has too many values for the filter of a table", c.parameter)})
		}
	}
	sql = string(append(bound, s.end...))
	if err := s.dialect.Reread(sql, s.objects()); err != nil {
		return "", nil, refuse(err, sql)
	}
	return sql, rest, nil
}

// A match is the condition of a filter on a parameter, and the text before it.
type match struct {
	before    string
	column    string // as it is printed
	parameter string
	list      bool
}

// matches returns the conditions on parameters in a printed statement, and the text after
// the last one.
func matches(printed string) (list []match, end string) {
	parts := strings.Split(printed, sqlast.FilterMark)
	for i := 1; i < len(parts); i += 2 {
		c := match{before: parts[i-1]}
		c.parameter, c.column, c.list = strings.Cut(parts[i], sqlast.FilterList)
		if !c.list {
			c.parameter, c.column, _ = strings.Cut(parts[i], sqlast.FilterColumn)
		}
		list = append(list, c)
	}
	return list, parts[len(parts)-1]
}

// withNames returns the statement with the names of its parameters.
func withNames(list []match, end string) string {
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.before + c.column)
		if c.list {
			b.WriteString(" IN (:" + c.parameter + ")")
		} else {
			b.WriteString(" = :" + c.parameter)
		}
	}
	return b.String() + end
}

// values returns the values of the parameter.
func (c *match) values(settings map[string]any) ([]string, error) {
	missing := func(why string) error {
		return problem(refusal.Problem{Code: ErrMissingSetting, Name: c.parameter,
			Message: fmt.Sprintf("the setting %s, by which rows are filtered, %s", c.parameter, why)})
	}
	var value any
	for name, v := range settings {
		if ascii.EqualFold(name, c.parameter) {
			value = v
		}
	}
	var text string
	switch v := value.(type) {
	case nil:
		return nil, missing("has no value in the session")
	case string:
		text = v
	case []byte:
		text = string(v)
	case int:
		text = strconv.Itoa(v)
	case int64:
		text = strconv.FormatInt(v, 10)
	default:
		return nil, missing(fmt.Sprintf("is a %T: it can be a string, []byte, int or int64", value))
	}
	if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
		return nil, missing("is not UTF-8, or contains a NUL byte")
	}
	values := []string{text}
	if c.list {
		values = strings.Split(text, ",")
	}
	return slices.DeleteFunc(values, func(v string) bool { return v == "" }), nil
}
