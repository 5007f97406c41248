package esquery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/qedkit/qed/refusal"
)

// Options are a Validator's rules and limits. A nil Options and zero fields mean
// the defaults named at each field; a negative limit is an error.
type Options struct {
	// Filter is a query that every search must match as well, such as
	// {"term":{"tenantId":"a"}}. It is put in by code, into each part of a body
	// that finds documents, and what could reach around it is refused. Nil: none.
	// A filter that depends on who asks is given to [Validator.Filtered].
	Filter json.RawMessage
	// Sensitive are the fields that the author of a body must not read, search,
	// sort or aggregate by: full paths, with all that is below them, their
	// multi-fields, their aliases, and what they are copied to. A * stands for any
	// characters. For the author they do not exist. Nil: none.
	Sensitive []string

	// MaxBytes is how long a body may be: 65,536.
	MaxBytes int
	// MaxDepth is how deep queries and aggregations may be nested, together: 20.
	MaxDepth int
	// MaxHits is the most that from and size may come to: 10,000.
	MaxHits int
	// MaxBuckets is how many buckets the aggregations may make, as far as that can
	// be said beforehand: 65,536.
	MaxBuckets int
	// MaxClauses is how many queries a body may hold: 1,024.
	MaxClauses int
	// MaxTerms is how many values one terms query may have: 1,024.
	MaxTerms int
}

func (o *Options) withDefaults() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	for _, f := range []struct {
		name  string
		value *int
		usual int
	}{
		{"MaxBytes", &v.MaxBytes, 65_536},
		{"MaxDepth", &v.MaxDepth, 20},
		{"MaxHits", &v.MaxHits, 10_000},
		{"MaxBuckets", &v.MaxBuckets, 65_536},
		{"MaxClauses", &v.MaxClauses, 1024},
		{"MaxTerms", &v.MaxTerms, 1024},
	} {
		if *f.value < 0 {
			return v, fmt.Errorf("esquery: Options.%s is %d: it must not be negative", f.name, *f.value)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	return v, nil
}

// ErrFilter is the error of [NewValidator] and [Validator.Filtered] where the
// filter would not do what it says: it is malformed, or one of the indices does
// not have its fields as it uses them.
var ErrFilter = errors.New("the mandatory filter does not fit")

// Validator checks search bodies. Make one with [NewValidator]. It is safe for
// concurrent use, and never changes.
type Validator struct {
	indices map[string]*index
	names   []string // of the indices, sorted
	filters []value  // every search must match all of them
	opt     Options
}

// index is what a search of one index may use.
type index struct {
	mapping   *Mapping
	sensitive *sensitive
}

// NewValidator returns a Validator for the given indices: a name, exactly as a
// search may give it, and the mapping of what it stands for. That can be an alias.
// A nil opt means the defaults. The error matches [ErrFilter] or [ErrSensitive] where
// those of opt do not fit the indices.
func NewValidator(indices map[string]*Mapping, opt *Options) (*Validator, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if len(indices) == 0 {
		return nil, errors.New("esquery: NewValidator needs an index that may be searched")
	}
	v := &Validator{opt: o, names: slices.Sorted(maps.Keys(indices)), indices: make(map[string]*index, len(indices))}
	for name, mapping := range indices {
		if !plainIndex(name) {
			return nil, fmt.Errorf("esquery: index %s: give one index or alias by its exact name, in lower case: no wildcards, lists, exclusions, date math and clusters", quoted(name))
		}
		if mapping == nil {
			return nil, fmt.Errorf("esquery: index %s: its mapping is nil", quoted(name))
		}
		hidden, err := newSensitive(o.Sensitive, mapping)
		if err != nil {
			return nil, err
		}
		v.indices[name] = &index{mapping, hidden}
	}
	if err := v.allSensitive(); err != nil {
		return nil, err
	}
	if o.Filter != nil {
		return v.Filtered(o.Filter)
	}
	return v, nil
}

// allSensitive returns an error for a pattern that hides nothing in any of the
// indices, as a misspelt one would.
func (v *Validator) allSensitive() error {
	for _, pattern := range v.opt.Sensitive {
		nowhere := true
		for _, index := range v.indices {
			nowhere = nowhere && slices.Contains(index.sensitive.missing, pattern)
		}
		if nowhere {
			return fmt.Errorf("esquery: %w: no index has a field %s; write it with a * if documents may have it later", ErrSensitive, quoted(pattern))
		}
	}
	return nil
}

// Filtered returns a Validator that puts in filter as well, on top of what v does.
// It costs little, so that each caller can have one of his own. A filter may use
// sensitive fields, and must be without fault in each of the indices.
func (v *Validator) Filtered(filter json.RawMessage) (*Validator, error) {
	filtered := *v
	if len(bytes.TrimSpace(filter)) == 0 {
		return nil, fmt.Errorf("esquery: %w: it is empty; where all documents may be found, say so with match_all", ErrFilter)
	}
	for _, name := range v.names {
		c := checker{v: v, index: v.indices[name], trusted: true}
		root, ok := c.read(filter)
		if ok {
			c.query(&root)
		}
		if len(c.problems) > 0 {
			return nil, fmt.Errorf("esquery: %w: index %s%s", ErrFilter, name, told(c.problems))
		}
		filtered.filters = append(v.filters[:len(v.filters):len(v.filters)], root)
	}
	return &filtered, nil
}

// Check says whether body may be sent as a search of the index of that name. An
// empty body means all documents.
func (v *Validator) Check(index string, body []byte) *Report {
	c := checker{v: v, path: make([]step, 0, usualDepth)}
	root, ok := c.read(body)
	if c.index = c.named(index); c.index != nil && ok {
		c.body(&root)
	}
	report := &Report{Verdict: c.verdict(), Problems: c.problems}
	if report.Verdict != Refused {
		report.search = c.assemble(index, root)
	}
	return report
}

// read reads a text of limited size.
func (c *checker) read(text []byte) (value, bool) {
	if len(text) > c.v.opt.MaxBytes {
		c.report(TooLarge, nil, "it has %d bytes; at most %d are allowed", len(text), c.v.opt.MaxBytes)
		return value{}, false
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return objectValue(), true
	}
	root, err := readJSON(string(text), maxJSONDepth, func(path []step, key string) {
		c.path = append(c.path, path...)
		c.report(DuplicateKey, nil, "the key %s is there twice; engines refuse or lose one of them", quoted(key))
		c.path = c.path[:0]
	})
	if err == nil {
		return root, true
	}
	if syntax := (*syntaxError)(nil); errors.As(err, &syntax) && syntax.tooDeep {
		c.report(TooLarge, nil, "%v", err)
	} else {
		c.report(InvalidJSON, nil, "this is no JSON: %v", err)
	}
	return value{}, false
}

// usualDepth is for how long a path room is made at first.
const usualDepth = 24

// maxJSONDepth is far beyond what a body within MaxDepth needs, a geometry included.
const maxJSONDepth = 200

// Indices returns the names of the indices that may be searched, sorted.
func (v *Validator) Indices() []string { return slices.Clone(v.names) }

// named returns the index of that exact name, or notes that there is none.
func (c *checker) named(name string) *index {
	if found := c.v.indices[name]; found != nil {
		return found
	}
	candidates := refusal.Nearest(name, c.v.names, maxCandidates)
	if len(candidates) == 0 && len(c.v.names) <= maxCandidates {
		candidates = c.v.names
	}
	c.report(UnknownIndex, slices.Clone(candidates),
		"there is no index %s that may be searched; give one index by its exact name", quoted(name))
	return nil
}

const maxCandidates = 5
