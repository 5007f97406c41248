package graphql

import "github.com/qedkit/qed/refusal"

// The codes of the problems of a [*refusal.Error] of this package.
const (
	ErrInvalidSchema  refusal.Code = "invalid_schema"  // an introspection response or SDL that cannot be used
	ErrInvalidOptions refusal.Code = "invalid_options" // options that contradict each other or the schema

	ErrTooLarge    refusal.Code = "too_large"    // more bytes, tokens, fields, fragments or directives than the limit
	ErrInvalidText refusal.Code = "invalid_text" // not UTF-8, or a NUL byte
	ErrSyntax      refusal.Code = "syntax"       // the text is not GraphQL
	ErrOperations  refusal.Code = "operations"   // not exactly one operation
	ErrNotQuery    refusal.Code = "not_query"    // a mutation or a subscription
	ErrUnsupported refusal.Code = "unsupported"  // a construct that not all servers support

	ErrIntrospection    refusal.Code = "introspection"     // __schema or __type
	ErrUnknownField     refusal.Code = "unknown_field"     // a field that the type does not have
	ErrUnknownArgument  refusal.Code = "unknown_argument"  // an argument that the field or directive does not have
	ErrUnknownType      refusal.Code = "unknown_type"      // a type that the schema does not have
	ErrUnknownFragment  refusal.Code = "unknown_fragment"  // a fragment that is not defined
	ErrUnknownVariable  refusal.Code = "unknown_variable"  // a variable that is not declared
	ErrUnknownDirective refusal.Code = "unknown_directive" // a directive that does not exist or is not allowed

	ErrMissingArgument refusal.Code = "missing_argument" // a required argument is missing
	ErrFixedArgument   refusal.Code = "fixed_argument"   // another value for an argument that the application sets
	ErrValue           refusal.Code = "value"            // a literal that does not fit its type
	ErrVariable        refusal.Code = "variable"         // a variable of the wrong type, or with a wrong value
	ErrSelection       refusal.Code = "selection"        // a selection on a scalar, or none on an object
	ErrFragment        refusal.Code = "fragment"         // a fragment in a cycle, or one that can never match
	ErrDirective       refusal.Code = "directive"        // a directive in the wrong location, or twice
	ErrDuplicate       refusal.Code = "duplicate"        // a name that is used twice
	ErrConflict        refusal.Code = "conflict"         // two different fields under one name in the response
	ErrUnused          refusal.Code = "unused"           // a variable or fragment that nothing uses

	ErrTooDeep      refusal.Code = "too_deep"      // fields nested more than 15 deep
	ErrTooExpensive refusal.Code = "too_expensive" // a cost above GuardOptions.MaxCost
)
