package graphql

import (
	"context"
	"errors"
	"strings"
)

// Schema returns the schema of the server. If the server does not support the newest
// introspection, Schema asks for what every server supports. Errors are those of
// [Client.Run] and [ParseIntrospection].
func (c *Client) Schema(ctx context.Context) (*Schema, error) {
	whole, err := c.send(ctx, request{Query: introspection(true)}, maxSchemaBytes)
	if errors.Is(err, ErrBadRequest) {
		whole, err = c.send(ctx, request{Query: introspection(false)}, maxSchemaBytes)
	}
	if err != nil {
		return nil, err
	}
	if len(whole.Errors) > 0 {
		return nil, refused(ErrInvalidSchema,
			"__schema", "the server could not return its whole schema: %q", clip(whole.Errors[0].Message, 200))
	}
	return ParseIntrospection(whole.Data)
}

// introspection returns the introspection query, with what is newer than the
// specification of 2018 if modern is set: one-of objects, and deprecated arguments.
func introspection(modern bool) string {
	newer := func(text string) string {
		if modern {
			return text
		}
		return ""
	}
	return "query { __schema { queryType { name } mutationType { name } subscriptionType { name }" + newer(" description") +
		" types { kind name description" + newer(" isOneOf") +
		" fields(includeDeprecated: true) { name description args" + newer("(includeDeprecated: true)") +
		" { ...I } type { ...T } isDeprecated deprecationReason }" +
		" inputFields" + newer("(includeDeprecated: true)") + " { ...I } interfaces { name }" +
		" enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { name } } } }" +
		" fragment I on __InputValue { name description type { ...T } defaultValue" +
		newer(" isDeprecated deprecationReason") + " }" +
		" fragment T on __Type { kind name" + strings.Repeat(" ofType { kind name", 9) + strings.Repeat(" }", 9) + " }"
}
