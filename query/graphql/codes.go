package graphql

import "github.com/qedkit/qed/refusal"

// The codes of the problems of a [*refusal.Error] of this package.
const (
	ErrInvalidSchema  refusal.Code = "invalid_schema"  // an introspection response or SDL that cannot be used
	ErrInvalidOptions refusal.Code = "invalid_options" // options that contradict each other or the schema

	ErrSyntax        refusal.Code = "syntax"         // the text is not GraphQL
	ErrNotAllowed    refusal.Code = "not_allowed"    // not exactly one query, or introspection
	ErrUnknownField  refusal.Code = "unknown_field"  // a field that the type does not have
	ErrUnknownName   refusal.Code = "unknown_name"   // another name that does not exist or is not allowed
	ErrFixedArgument refusal.Code = "fixed_argument" // another value for an argument that the application sets
	ErrInvalid       refusal.Code = "invalid"        // a query or a variable that breaks a rule of the specification
	ErrTooLarge      refusal.Code = "too_large"      // longer, deeper, or with more fields than the limits allow
	ErrTooExpensive  refusal.Code = "too_expensive"  // more fields in the response than 50,000, as far as that is known before
)
