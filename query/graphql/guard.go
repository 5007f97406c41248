package graphql

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/qedkit/qed/internal/option"
)

// GuardOptions are the options of a [Guard]. Nil and the zero value mean the
// defaults.
type GuardOptions struct {
	// Sensitive lists what no query may name, as "Type.member": fields, fields of
	// input types, and values of enums. A field of an interface is hidden in all
	// types that implement the interface. A field of an object type is hidden in
	// the interfaces through which it could be read.
	//
	// A field can also be read through arguments that filter or sort by it: list
	// those too.
	Sensitive []string

	// Fixed are arguments that the application sets, by "Type.field" and the name
	// of the argument: {"Query.orders": {"tenant": "acme"}}.
	//
	//   - A value is anything that encoding/json can write and that fits the type
	//     of the argument. It may name what is Sensitive. It replaces the whole
	//     argument and is sent as a variable.
	//   - A query that gives such an argument another value is refused.
	//   - A field of an interface stands for the fields of the types that implement
	//     it. A field of an object type cannot be read through an interface whose
	//     own field is not fixed.
	//   - [Guard.Describe] leaves these arguments out.
	Fixed map[string]map[string]any
}

// maxCost limits the number of fields in the response, as far as it is known before the
// query runs. A field costs 1, and the cost of the fields of a list is multiplied by its
// length. The length is the value of an argument such as first or limit, on the field of
// the list or on the field around it (as with the edges of a connection), and otherwise
// listSize.
const maxCost = 50_000

const (
	maxBytes      = 64 << 10 // of the query's text, and of its variables
	maxTokens     = 5_000    // of the query's text
	maxFields     = 500      // of the query
	maxDepth      = 15       // of nested fields
	listSize      = 25       // the length of a list that no argument bounds
	maxDirectives = 100      // of a query
	maxNesting    = 25       // of lists and objects in a value
)

// A Guard checks queries against one schema with one set of options. It is safe
// for concurrent use. Make one with [NewGuard].
type Guard struct {
	opt    GuardOptions
	schema *ast.Schema // without what is sensitive
	fixed  map[string][]fixedArgument
}

type fixedArgument struct {
	name  string
	typ   *ast.Type
	value any // as [strictjson.Any] reads JSON
}

// NewGuard returns a Guard of schema. A nil opt means the defaults. If opt names
// something that the schema does not have, the error is a [*refusal.Error] with
// the code [ErrInvalidOptions].
func NewGuard(schema *Schema, opt *GuardOptions) (*Guard, error) {
	if schema == nil || schema.ast == nil {
		return nil, refused(ErrInvalidOptions, "schema", "the schema is missing")
	}
	g := &Guard{opt: option.Of(opt)}
	var err error
	if g.schema, g.fixed, err = reduce(schema.ast, &g.opt); err != nil {
		return nil, err
	}
	return g, nil
}

// sizes are the arguments, and fields of an argument's input object, that bound lists.
var sizes = map[string]bool{
	"first": true, "last": true, "limit": true, "size": true, "take": true, "top": true, "count": true,
	"perpage": true, "pagesize": true,
}

// fold makes names equal that differ in letter case and underscores.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
