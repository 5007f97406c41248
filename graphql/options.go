package graphql

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/qedkit/qed/refusal"
)

// Options say what a [Guard] lets pass. Nil and the zero value mean the defaults.
type Options struct {
	// Sensitive lists what no query may name, as "Type.member": fields, fields of
	// input types, and values of enums. A field of an interface is hidden in all
	// types that implement it. A field of an object type is hidden in the
	// interfaces through which it could be read.
	//
	// A field can also be read through what filters or sorts by it: list that too.
	Sensitive []string

	// Fixed are arguments that code puts in, by "Type.field" and name of the
	// argument: {"Query.orders": {"tenant": "acme"}}. A value is anything that
	// encoding/json can write and the argument's type takes, what is Sensitive
	// included; it is the whole argument, and sent as a variable. A query that
	// gives such an argument another value is refused. As with Sensitive, an
	// interface's field stands for those that implement it, and an object type's
	// field cannot be read through an interface whose own is not fixed.
	// [Guard.Describe] leaves these arguments out.
	Fixed map[string]map[string]any

	// Directives are allowed beside @skip and @include, by their names. @defer and
	// @stream never are: a [Client] reads one answer.
	Directives []string

	// AllowIntrospection lets __schema and __type pass. It cannot be had together
	// with Sensitive, whose names it would tell.
	AllowIntrospection bool

	MaxBytes  int // of the query's text, and of its variables; 0: 64 KiB
	MaxTokens int // of the query's text; 0: 5,000
	MaxFields int // of the query with its fragments put in; 0: 500
	MaxDepth  int // of fields in each other; 0: 15

	// MaxCost bounds the number of fields in the answer, as far as it can be told
	// beforehand: a field counts 1, and what is in a list counts as often as the
	// list is long. The length is what an argument of SizeArguments says, in the
	// list's own field or in the one around it (as with the edges of a connection),
	// and ListSize where nothing says it. 0 means 50,000.
	MaxCost int

	// ListSize is the length of a list that nothing bounds. 0 means 25.
	ListSize int

	// SizeArguments are the arguments, or fields of an argument's input object,
	// that bound lists; case and underscores do not count. Nil means first, last,
	// limit, size, take, top, count, perPage and pageSize.
	SizeArguments []string
}

const (
	maxDirectives = 100 // of a query
	maxFragments  = 100 // of a query, used or not
	maxNesting    = 25  // of lists and objects in a value
)

// Guard checks queries against one schema under one set of options. It is safe
// for concurrent use. [New] makes one.
type Guard struct {
	opt    Options
	schema *ast.Schema // without what is sensitive
	fixed  map[string][]fixedArgument
	sizes  map[string]bool
}

type fixedArgument struct {
	name  string
	typ   *ast.Type
	value any // as [decode] reads JSON
}

// New makes a Guard. What opt names must be in the schema: an [*Error] of
// [ErrInvalidOptions] says what is not.
func New(schema *Schema, opt *Options) (*Guard, error) {
	if schema == nil || schema.ast == nil {
		return nil, refused(ErrInvalidOptions, "schema", "the schema is missing")
	}
	var o Options
	if opt != nil {
		o = *opt
	}
	for _, d := range []struct {
		name  string
		value *int
		zero  int
	}{
		{"MaxBytes", &o.MaxBytes, 64 << 10},
		{"MaxTokens", &o.MaxTokens, 5_000},
		{"MaxFields", &o.MaxFields, 500},
		{"MaxDepth", &o.MaxDepth, 15},
		{"MaxCost", &o.MaxCost, 50_000},
		{"ListSize", &o.ListSize, 25},
	} {
		if *d.value < 0 {
			return nil, refused(ErrInvalidOptions, d.name, "Options.%s is negative", d.name)
		}
		if *d.value == 0 {
			*d.value = d.zero
		}
	}
	if o.AllowIntrospection && len(o.Sensitive) > 0 {
		return nil, refused(ErrInvalidOptions, "AllowIntrospection", "introspection would tell the names of Options.Sensitive: give the model Guard.Describe instead")
	}
	if o.SizeArguments == nil {
		o.SizeArguments = []string{"first", "last", "limit", "size", "take", "top", "count", "perPage", "pageSize"}
	}
	g := &Guard{opt: o, sizes: map[string]bool{}}
	for _, name := range o.SizeArguments {
		g.sizes[fold(name)] = true
	}
	r := reduce(schema.ast)
	for _, entry := range o.Sensitive {
		r.hide(entry)
	}
	for entry, args := range o.Fixed {
		r.fix(entry, args)
	}
	r.through()
	r.directives(o.Directives)
	if !o.AllowIntrospection {
		r.withoutIntrospection()
	}
	if r.err != nil {
		return nil, r.err
	}
	g.schema, g.fixed = r.result()
	return g, nil
}

// fold makes names alike that differ in case and underscores.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// candidates are the names that may have been meant.
func candidates(name string, names []string) []string {
	return refusal.Nearest(name, names, maxCandidates)
}
