package graphql

import (
	"context"
	"encoding/json"
	"strings"
)

// Schema asks the server for its schema. What its introspection can tell, such
// as deprecated arguments or oneOf, is found out first, so that older servers
// answer too. Errors are those of [Client.Run] and [ReadIntrospection].
func (c *Client) Schema(ctx context.Context) (*Schema, error) {
	abilities, err := c.retry(ctx, request{Query: probe}, maxSchemaBytes)
	query := introspection(nil)
	switch {
	case err == nil:
		query = introspection(abilities.Data)
	case ctx.Err() != nil || !refusedOnly(err):
		return nil, err
	}
	answer, err := c.retry(ctx, request{Query: query}, maxSchemaBytes)
	if err != nil {
		return nil, err
	}
	if len(answer.Errors) > 0 {
		return nil, refused(ErrInvalidSchema, "__schema", "the server could not tell its whole schema: %q", clip(answer.Errors[0].Message, 200))
	}
	return ReadIntrospection(answer.Data)
}

// refusedOnly says that the server is well, but does not take this query.
func refusedOnly(err error) bool {
	e, ok := err.(*CallError)
	return ok && e.Kind == ErrRefused
}

// probe asks what introspection can tell, with what it always could.
const probe = `query { Schema: __type(name: "__Schema") { ...F } Type: __type(name: "__Type") { ...F } ` +
	`Field: __type(name: "__Field") { ...F } Input: __type(name: "__InputValue") { ...F } Directive: __type(name: "__Directive") { ...F } } ` +
	`fragment F on __Type { fields { name args { name } } }`

// introspection asks for all that the answer to the probe says can be told; nil: for the least.
func introspection(abilities json.RawMessage) string {
	var types map[string]*struct {
		Fields []struct {
			Name string
			Args []struct{ Name string }
		}
	}
	// What is not understood is not asked for.
	_ = json.Unmarshal(abilities, &types)
	has := func(typeName, field, arg string) bool {
		t := types[typeName]
		if t == nil {
			return false
		}
		for _, f := range t.Fields {
			if f.Name != field {
				continue
			}
			for _, a := range f.Args {
				if a.Name == arg {
					return true
				}
			}
			return arg == ""
		}
		return false
	}
	optional := func(typeName, field string) string {
		if has(typeName, field, "") {
			return " " + field
		}
		return ""
	}
	deprecated := func(typeName, field string) string {
		if has(typeName, field, "includeDeprecated") {
			return "(includeDeprecated: true)"
		}
		return ""
	}
	old := optional("Input", "isDeprecated") + optional("Input", "deprecationReason")
	return "query { __schema { queryType { name } mutationType { name } subscriptionType { name }" + optional("Schema", "description") +
		" types { kind name description" + optional("Type", "specifiedByURL") + optional("Type", "isOneOf") +
		" fields(includeDeprecated: true) { name description args" + deprecated("Field", "args") + " { ...I } type { ...T } isDeprecated deprecationReason }" +
		" inputFields" + deprecated("Type", "inputFields") + " { ...I } interfaces { name }" +
		" enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { name } }" +
		" directives { name description" + optional("Directive", "isRepeatable") + " locations args" + deprecated("Directive", "args") + " { ...I } } } }" +
		" fragment I on __InputValue { name description type { ...T } defaultValue" + old + " }" +
		" fragment T on __Type { kind name" + strings.Repeat(" ofType { kind name", 9) + strings.Repeat(" }", 9) + " }"
}
