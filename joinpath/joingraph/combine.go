package joingraph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/refusal"
)

// A Source is what one file, program or person says about a database.
type Source struct {
	// Name names the source, such as "models.json". It is the provenance of the
	// relationships that have none.
	Name string

	// Schema is what the source says. A nil Schema says nothing.
	Schema *joinpath.Schema

	// Manual is true for what a person has written: corrections win over every
	// other source. All relationships of the source get the type
	// [joinpath.Manual].
	Manual bool
}

// Combine adds what the sources say to base, the schema that was read from the
// database. It does not change its arguments.
//
// Tables and columns are those of base. Names that differ only in letter case and
// underscores are the same if only one name of base matches, and the name of a secure
// view stands for its table. A table of a further schema is named schema.table; one of
// base's own schema may be. Keys, comments and sizes of all sources are kept. What a
// source says about a table or a column that base does not have is left out and reported,
// as are two contradicting entries of one manual source; the rest is used. If base is nil,
// the tables are those of the first source that lists some.
//
// Descriptions of the same join, in either direction, become one relationship:
//
//   - The provenance, the evidence and the unique keys of all sources are kept.
//   - A manual source decides all that it says. Its confidence of 0 removes a
//     join.
//   - Without a manual source the confidence is the highest of all. A confidence
//     of 0 removes a join, unless the database declares it.
//   - Type, cardinality and role are those of the most reliable type:
//     [joinpath.Manual], then [joinpath.ForeignKey], [joinpath.Association], any
//     other. Between equals a side is many if either says so. A cardinality that
//     lost is kept as evidence.
//   - The direction is from many to one where that is known.
//
// The order of the sources affects only the order of the provenance and evidence.
// The error is that of [joinpath.New] for base.
func Combine(base *joinpath.Schema, sources ...Source) (*joinpath.Schema, []refusal.Problem, error) {
	for i := 0; base == nil && i < len(sources); i++ {
		if s := sources[i].Schema; s != nil && len(s.Tables) > 0 {
			base = &joinpath.Schema{Name: s.Name, Tables: s.Tables}
		}
	}
	base = cmp.Or(base, &joinpath.Schema{})
	if _, err := joinpath.New(base, nil); err != nil {
		return nil, nil, err
	}
	c := combination{
		names:  newNames(base),
		tables: maps.Clone(base.Tables),
		joins:  map[string]joinpath.Relationship{},
	}
	for _, r := range base.Relationships {
		c.add(withProvenance(r, "database"))
	}
	for _, s := range sources {
		c.source(s)
	}
	out := &joinpath.Schema{Version: joinpath.Version, Name: base.Name, Tables: c.tables}
	for _, key := range slices.Sorted(maps.Keys(c.joins)) {
		out.Relationships = append(out.Relationships, c.joins[key])
	}
	return out, c.problems, nil
}

type combination struct {
	names    *names
	tables   map[string]joinpath.Table
	joins    map[string]joinpath.Relationship // by Relationship.Key
	problems []refusal.Problem
}

func (c *combination) source(s Source) {
	if s.Schema == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Schema.Tables)) {
		if err := c.table(name, s.Schema.Tables[name]); err != nil {
			c.problems = append(c.problems, c.problem(s, name, err))
		}
	}
	said := map[string]joinpath.Relationship{}
	contradicted := map[string]bool{}
	var order []string
	for _, r := range s.Schema.Relationships {
		spelled, err := c.names.relationship(r)
		if err != nil {
			c.problems = append(c.problems, c.problem(s, r.String(), err))
			continue
		}
		if s.Manual {
			spelled.Type = joinpath.Manual
		}
		spelled = withProvenance(spelled, s.Name)
		key := spelled.Key()
		first, again := said[key]
		switch {
		case !again:
			order = append(order, key)
			said[key] = spelled
		case s.Manual && contradicts(first, spelled):
			contradicted[key] = true
		default:
			said[key] = merged(first, spelled)
		}
	}
	for _, key := range order {
		if contradicted[key] {
			c.problems = append(c.problems, c.problem(s, said[key].String(),
				fmt.Errorf("two entries contradict each other: neither is used")))
			continue
		}
		c.add(said[key])
	}
}

// problem is what a source says and is not used.
func (c *combination) problem(s Source, name string, err error) refusal.Problem {
	p := refusal.Problem{Code: joinpath.ErrSchema, Name: name, Message: fmt.Sprintf("%s: %s: %v", s.Name, name, err)}
	if unknown, ok := err.(*unknownName); ok {
		p.Candidates = unknown.candidates
	}
	return p
}

// table adds the keys and the comments of a source, where the database has none.
func (c *combination) table(name string, said joinpath.Table) error {
	known, err := c.names.table(name)
	if err != nil {
		return err
	}
	t := c.tables[known]
	columns := func(list []string) []string {
		out := make([]string, 0, len(list))
		for _, column := range list {
			spelled, e := c.names.column(known, column)
			if e != nil {
				err = cmp.Or(err, e)
				continue
			}
			out = append(out, spelled)
		}
		return out
	}
	columns(said.Columns)
	if key := columns(said.PrimaryKey); len(t.PrimaryKey) == 0 && len(key) == len(said.PrimaryKey) {
		t.PrimaryKey = key
	}
	t.UniqueColumns = lists.Add(t.UniqueColumns, columns(said.UniqueColumns)...)
	t.NotNull = lists.Add(t.NotNull, columns(said.NotNull)...)
	t.UniqueKeys = slices.Clone(t.UniqueKeys)
	for _, key := range said.UniqueKeys {
		spelled := columns(key)
		if len(spelled) == len(key) && !slices.ContainsFunc(t.UniqueKeys, func(k []string) bool { return slices.Equal(k, spelled) }) {
			t.UniqueKeys = append(t.UniqueKeys, spelled)
		}
	}
	t.Comment = cmp.Or(t.Comment, said.Comment)
	t.Rows, t.Bytes = cmp.Or(t.Rows, said.Rows), cmp.Or(t.Bytes, said.Bytes)
	t.ColumnComments = maps.Clone(t.ColumnComments)
	for column, comment := range said.ColumnComments {
		if spelled := columns([]string{column}); len(spelled) == 1 && t.ColumnComments[spelled[0]] == "" {
			if t.ColumnComments == nil {
				t.ColumnComments = map[string]string{}
			}
			t.ColumnComments[spelled[0]] = comment
		}
	}
	c.tables[known] = t
	return err
}

func (c *combination) add(r joinpath.Relationship) {
	key := r.Key()
	if known, ok := c.joins[key]; ok {
		r = merged(known, r)
	}
	if r.Cardinality == joinpath.OneToMany {
		r = r.Reversed()
	}
	c.joins[key] = r
}

// merged returns one relationship for two descriptions of the same join.
func merged(a, b joinpath.Relationship) joinpath.Relationship {
	strong, weak := a, b
	if byReliability(b, a) < 0 {
		strong, weak = b, a
	}
	weak = facing(weak, strong)
	out := strong
	out.Provenance = lists.Add(a.Provenance, b.Provenance...)
	out.Evidence = lists.Add(a.Evidence, b.Evidence...)
	out.Confidence = confidence(strong, weak)
	out.Role = cmp.Or(strong.Role, weak.Role)
	switch {
	case out.Cardinality == "" || weak.Cardinality == "" || out.Cardinality == weak.Cardinality:
		out.Cardinality = cmp.Or(out.Cardinality, weak.Cardinality)
	case reliability(a) == reliability(b):
		out.Cardinality = widest(out.Cardinality, weak.Cardinality)
	default:
		out.Evidence = lists.Add(out.Evidence, fmt.Sprintf("%s: the cardinality is %s",
			strings.Join(weak.Provenance, ", "), weak.Cardinality))
	}
	return out
}

// byReliability orders descriptions of one join, the one that decides first.
func byReliability(a, b joinpath.Relationship) int {
	return cmp.Or(cmp.Compare(reliability(a), reliability(b)), cmp.Compare(a.String(), b.String()), cmp.Compare(a.Role, b.Role))
}

// reliability orders types by how reliable they are, the most reliable first.
func reliability(r joinpath.Relationship) int {
	switch r.Type {
	case joinpath.Manual:
		return 0
	case joinpath.ForeignKey:
		return 1
	case joinpath.Association:
		return 2
	}
	return 3
}

func confidence(strong, weak joinpath.Relationship) float64 {
	rejected := strong.Confidence == 0 || weak.Confidence == 0
	switch {
	case strong.Type == joinpath.Manual && weak.Type != joinpath.Manual:
		return strong.Confidence
	case rejected && !(strong.Type == joinpath.ForeignKey && strong.Confidence > 0):
		return 0
	}
	return max(strong.Confidence, weak.Confidence)
}

// facing returns r in the direction of other, a description of the same join.
func facing(r, other joinpath.Relationship) joinpath.Relationship {
	if r.FromTable != other.FromTable {
		return r.Reversed()
	}
	from, _ := r.Columns()
	want, _ := other.Columns()
	slices.Sort(from)
	slices.Sort(want)
	if r.FromTable == r.ToTable && !slices.Equal(from, want) {
		return r.Reversed()
	}
	return r
}

// contradicts reports whether two entries of one manual source differ in what they
// say.
func contradicts(a, b joinpath.Relationship) bool {
	b = facing(b, a)
	return a.Confidence != b.Confidence ||
		a.Cardinality != "" && b.Cardinality != "" && a.Cardinality != b.Cardinality ||
		a.Role != "" && b.Role != "" && a.Role != b.Role
}

// widest returns the cardinality in which a side is many if it is many in a or b.
func widest(a, b joinpath.Cardinality) joinpath.Cardinality {
	left := a.Reversed().FansOut() || b.Reversed().FansOut()
	right := a.FansOut() || b.FansOut()
	switch {
	case left && right:
		return joinpath.ManyToMany
	case left:
		return joinpath.ManyToOne
	case right:
		return joinpath.OneToMany
	}
	return joinpath.OneToOne
}

// withProvenance returns r with a provenance, its own or the name of its source.
func withProvenance(r joinpath.Relationship, source string) joinpath.Relationship {
	if len(r.Provenance) == 0 {
		r.Provenance = []string{cmp.Or(source, r.Type, "unnamed source")}
	}
	return r
}
