package joingraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/secureview"
)

// InferOptions configure [Infer]. Nil and the zero value mean the defaults.
type InferOptions struct {
	// MinConfidence is the confidence below which an edge is left out. 0 means
	// 0.5. [joinpath.Options] have a limit of their own, which is higher.
	MinConfidence float64

	// Database runs statements that count rows. Guard checks and rewrites them. No
	// value of a row leaves the database, except the difference between the largest
	// and the smallest number of a column. A statement about a table or a column that
	// the policy of Guard does not list is refused, and reported in
	// [Inference.Problems]. If both fields are nil, names, types and keys decide alone.
	Database Database
	Guard    *secureview.Guard

	// Counts are the counts of an earlier inference ([Inference.Counts]). The
	// database is not asked again about tables whose columns, types and keys are
	// the same as then, even if their rows have changed. Nil measures all tables.
	Counts []Count

	// Columns chooses the columns that the database may be asked about. nil means
	// all but those whose names look sensitive. Columns left out are listed in
	// [Inference.Unsampled].
	Columns *privacy.Columns

	// MaxStatements is the number of statements sent to the database. 0 means
	// 2,000. The likeliest edges are measured first.
	MaxStatements int

	// Timeout is the time limit of all statements together. 0 means 2 minutes.
	Timeout time.Duration

	// Progress is called after each statement with the number of statements so
	// far, and of those that are planned. It may be nil.
	Progress func(done, planned int)
}

func (o *InferOptions) withDefaults() (InferOptions, error) {
	out := option.Of(o)
	out.MinConfidence = cmp.Or(out.MinConfidence, 0.5)
	if !(out.MinConfidence > 0 && out.MinConfidence <= 1) {
		return out, fmt.Errorf("joingraph: InferOptions.MinConfidence is %v, not between 0 and 1", out.MinConfidence)
	}
	if (out.Database == nil) != (out.Guard == nil) {
		return out, errors.New("joingraph: set both or neither of InferOptions.Database and Guard")
	}
	return out, cmp.Or(
		option.Default("joingraph: InferOptions.MaxStatements", &out.MaxStatements, 2_000),
		option.Default("joingraph: InferOptions.Timeout", &out.Timeout, 2*time.Minute),
	)
}

// An Inference is the result of [Infer].
type Inference struct {
	// Relationships are of type [joinpath.Inferred], or [joinpath.SharedDimension] where
	// neither column is a key. They are sorted by table and column. No two join the same
	// columns. Their Evidence says in words what the confidence was computed from.
	Relationships []joinpath.Relationship

	// Unsampled are the columns that could have been measured and were left out
	// by [InferOptions.Columns], as "table.column".
	Unsampled []string

	// Problems are what could not be measured. The edges are scored without it.
	Problems []Problem

	// Statements is the number of statements that were sent to the database.
	Statements int

	// Counts are what the database answered, for [InferOptions.Counts] of a later
	// inference.
	Counts []Count
}

// A Count is the answer of a database to one statement of [Infer].
type Count struct {
	SQL string `json:"sql"`

	// Basis identifies the tables of the statement as they were.
	Basis string `json:"basis"`

	// Numbers is the row of the answer. A nil number is NULL.
	Numbers []*float64 `json:"numbers"`
}

// Infer finds relationships that the schema does not have. It looks at the tables,
// their columns, types and keys. It also looks at the relationships of the schema: a
// column that one of them starts from gets no other, and their names are evidence for
// similar ones. Infer does not change the schema.
//
// Equal input gives equal output. With a database, the database decides which rows
// a sample has.
//
// A statement that fails is reported in [Inference.Problems], and the rest goes on
// without it. The error is a [*refusal.Error] of code [joinpath.ErrSchema] or that
// of an option, such as a name in Columns that the schema does not have. If ctx
// ends, its error is returned together with the edges that were found until then.
func Infer(ctx context.Context, s *joinpath.Schema, opt *InferOptions) (*Inference, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if _, err := joinpath.New(s, &joinpath.Options{CacheSize: -1}); err != nil {
		return nil, err
	}
	s = cmp.Or(s, &joinpath.Schema{})
	if _, err := o.Columns.LeftOut(s); err != nil {
		return nil, fmt.Errorf("joingraph: InferOptions.Columns: %w", err)
	}
	return newInference(s, o).run(ctx)
}

func (in *inference) run(ctx context.Context) (*Inference, error) {
	in.namedCandidates()
	in.composites()
	if in.opt.Database != nil {
		in.measure(ctx)
	}
	return in.result(), ctx.Err()
}

// inference is the state of one call of Infer.
type inference struct {
	opt        InferOptions
	schema     *joinpath.Schema
	x          *index
	weights    *vector
	convention convention
	proposals  []proposal
	known      map[string]bool // joins of the schema, by joinKey
	refers     map[colRef]bool // columns that are declared or named as a key of another table
	out        Inference
}

// proposal is a possible edge with all of its evidence.
type proposal struct {
	candidate
	from, to []int // the columns, if composite
	rule     ruleKind
	logit    float64
	types    string
	data     *measured
}

func newInference(s *joinpath.Schema, o InferOptions) *inference {
	in := &inference{opt: o, schema: s, x: newIndex(s), weights: &weights, known: map[string]bool{}, refers: map[colRef]bool{}}
	for _, r := range s.Relationships {
		from, to := r.Columns()
		for i := range from {
			in.known[joinKey(r.FromTable, from[i], r.ToTable, to[i])] = true
		}
	}
	return in
}

// joinKey identifies the join of two columns, in either direction.
func joinKey(table, column, otherTable, other string) string {
	a, b := table+"\x00"+column, otherTable+"\x00"+other
	return min(a, b) + "\x01" + max(a, b)
}

// namedCandidates proposes what names suggest for every column.
func (in *inference) namedCandidates() {
	x := in.x
	var found, declared []candidate
	for i := range x.tables {
		t := &x.tables[i]
		for n, list := range x.tableCandidates(i) {
			in.refers[colRef{i, n}] = t.taken[t.columns[n].name] || len(list) > 0 && rules[list[0].rule].strength >= rules[ruleAbbreviation].strength
			if !t.taken[t.columns[n].name] {
				found = append(found, list...)
				continue
			}
			declared = append(declared, lists.Filter(list, func(c candidate) bool { return in.known[x.key(c)] })...)
		}
	}
	in.convention = x.conventionOf(declared)
	for _, c := range found {
		if p, ok := in.proposal(c); ok {
			in.proposals = append(in.proposals, p)
		}
	}
}

// key identifies the join of a candidate.
func (x *index) key(c candidate) string {
	from, to := &x.tables[c.child], &x.tables[c.parent]
	return joinKey(from.name, from.columns[c.column].name, to.name, to.columns[x.parentColumn(c)].name)
}

// proposal scores a candidate by names, types and keys.
func (in *inference) proposal(c candidate) (proposal, bool) {
	x := in.x
	from, to := &x.tables[c.child].columns[c.column], &x.tables[c.parent].columns[x.parentColumn(c)]
	p := proposal{candidate: c, rule: c.rule}
	p.types = compareTypes(
		x.tables[c.child].def.Types[from.name], x.tables[c.parent].def.Types[to.name], from.class, to.class)
	if p.types == typesIncompatible || in.known[x.key(c)] {
		return p, false
	}
	v := x.vectorOf(c)
	p.logit = v.logit(in.weights)
	p.addTypes()
	p.logit += in.convention.weight(c.rule)
	if n := x.holders[to.compact]; c.key >= 0 && n > fewHolders && x.foreign(c) {
		p.logit += weightForeign * math.Log2(float64(n)/fewHolders)
	}
	if first := from.raw[0]; c.rule == ruleRoleAlone && placeWords[first] && p.types == typesEqual && c.key >= 0 {
		p.logit += weightPlace
	}
	if x.sameKind(c) {
		p.logit += weightSameKind
	}
	if x.part(c) {
		p.logit += weightPart
	}
	if x.severalTables(c) {
		p.logit += weightTyped
	}
	if x.otherSystem(c) {
		p.logit += weightSystem
	}
	return p, true
}

func (p *proposal) addTypes() {
	switch p.types {
	case typesEqual:
		p.logit += weightEqualTypes
	case typesCompatible:
		p.logit += weightCompatibleTypes
	}
}

// result turns proposals into relationships.
func (in *inference) result() *Inference {
	out := &in.out
	best := map[string]bool{}
	slices.SortStableFunc(in.proposals, func(a, b proposal) int { return cmp.Compare(b.logit, a.logit) })
	for i, odds := range in.shares() {
		confidence := min(round(odds), mostConfidence)
		if confidence < in.opt.MinConfidence {
			continue
		}
		e := in.edge(in.proposals[i], confidence)
		if e.Cardinality == joinpath.ManyToMany { // neither column is a key
			e.Type, e.Confidence = joinpath.SharedDimension, min(e.Confidence, mostShared)
		}
		if key := edgeKey(&e); !best[key] {
			best[key] = true
			out.Relationships = append(out.Relationships, e)
		}
	}
	sortEdges(out.Relationships)
	return out
}

// shares returns the probability of each proposal. A column refers to one table at most, so
// its proposals share the probability by their odds. Keys of the same name that are not named
// after their tables have the same values if any of them is meant: the likeliest of these has the
// share of all. customer_entity.entity_id and product_entity.entity_id have different ones.
func (in *inference) shares() []float64 {
	type target struct {
		from colRef
		key  string
	}
	named := func(p *proposal) target {
		parent := &in.x.tables[p.parent]
		t := target{colRef{p.child, p.column}, parent.name}
		if p.rule == ruleSameKey && parent.keys[p.key].own == notOwn || p.rule == ruleSharedName || p.rule == ruleBareKey {
			t.key = "\x00" + parent.columns[in.x.parentColumn(p.candidate)].compact
		}
		return t
	}
	out := make([]float64, len(in.proposals))
	all, seen := map[colRef]float64{}, map[target]bool{}
	for i := range in.proposals {
		p := &in.proposals[i]
		switch t := named(p); {
		case p.from != nil:
			out[i] = probability(p.logit)
		case !seen[t]:
			seen[t] = true
			out[i] = math.Exp(p.logit)
			all[t.from] += out[i]
		}
	}
	for i := range out {
		if p := &in.proposals[i]; p.from == nil {
			out[i] /= 1 + all[colRef{p.child, p.column}]
		}
	}
	return out
}

// mostShared is the highest confidence of a [joinpath.SharedDimension], which joinpath does not
// use by default.
const mostShared = 0.6

// mostConfidence is below the confidence of a declared key, so that an inferred
// edge never ties with one.
const mostConfidence = 0.995

func sortEdges(edges []joinpath.Relationship) {
	slices.SortStableFunc(edges, func(a, b joinpath.Relationship) int {
		return cmp.Or(
			strings.Compare(a.FromTable, b.FromTable), strings.Compare(a.FromColumn, b.FromColumn),
			strings.Compare(a.ToTable, b.ToTable), strings.Compare(a.ToColumn, b.ToColumn),
			slices.Compare(a.FromColumns, b.FromColumns), slices.Compare(a.ToColumns, b.ToColumns),
		)
	})
}

func edgeKey(r *joinpath.Relationship) string {
	from, to := r.Columns()
	var keys []string
	for i := range from {
		keys = append(keys, joinKey(r.FromTable, from[i], r.ToTable, to[i]))
	}
	slices.Sort(keys)
	return strings.Join(keys, "\x02")
}

// edge returns the relationship of a proposal.
func (in *inference) edge(p proposal, confidence float64) joinpath.Relationship {
	child, parent := &in.x.tables[p.child], &in.x.tables[p.parent]
	from, to := p.from, p.to
	if from == nil {
		from, to = []int{p.column}, []int{in.x.parentColumn(p.candidate)}
	}
	e := joinpath.Relationship{
		FromTable: child.name, ToTable: parent.name,
		Type: joinpath.Inferred, Confidence: confidence,
	}
	for i := range from {
		e.FromColumns = append(e.FromColumns, child.columns[from[i]].name)
		e.ToColumns = append(e.ToColumns, parent.columns[to[i]].name)
	}
	e.FromColumn, e.ToColumn = e.FromColumns[0], e.ToColumns[0]
	fromUnique := child.unique(e.FromColumns) || p.data.childUnique()
	toUnique := p.key >= 0 || p.data.parentUnique()
	if p.data.parentRepeats() {
		toUnique = false
	}
	if len(from) == 1 {
		e.FromColumns, e.ToColumns = nil, nil
	}
	e.Cardinality = cardinalityOf(fromUnique, toUnique)
	e.Evidence = in.evidence(&p, &e)
	e.Provenance = []string{"inferred from names"}
	if p.rule == ruleData {
		e.Provenance = nil
	}
	if p.data != nil {
		e.Provenance = append(e.Provenance, "inferred from data")
	}
	return e
}

func cardinalityOf(fromUnique, toUnique bool) joinpath.Cardinality {
	switch {
	case fromUnique && toUnique:
		return joinpath.OneToOne
	case toUnique:
		return joinpath.ManyToOne
	case fromUnique:
		return joinpath.OneToMany
	}
	return joinpath.ManyToMany
}

// unique reports whether columns contain a declared key of the table.
func (t *table) unique(columns []string) bool {
	contains := func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(columns, c) })
	}
	return contains(t.def.PrimaryKey) || slices.ContainsFunc(t.def.UniqueKeys, contains) ||
		slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(t.def.UniqueColumns, c) })
}

// evidence says in words what the confidence of an edge was computed from.
func (in *inference) evidence(p *proposal, e *joinpath.Relationship) []string {
	out := []string{p.describe(e)}
	if d := p.data; d != nil {
		out = append(out, fmt.Sprintf("%d of %d sampled values exist on the other side", d.matched, d.distinct))
		if d.chance {
			out = append(out, "chance alone may explain that")
		}
	}
	if len(p.rivals) > 0 {
		rivals := lists.Map(p.rivals, func(i int) string { return in.x.tables[i].name })
		out = append(out, "these tables fit as well: "+strings.Join(rivals, ", "))
	}
	return out
}

// describe says in words why names suggest an edge.
func (p *proposal) describe(e *joinpath.Relationship) string {
	from, to := e.FromTable+"."+e.FromColumn, e.ToTable+"."+e.ToColumn
	return strings.NewReplacer("{column}", from, "{key}", to, "{table}", e.ToTable, "{child}", e.FromTable).Replace(rules[p.rule].says)
}
