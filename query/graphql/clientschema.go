package graphql

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// Schema returns the schema of the server. It first asks what the server's
// introspection supports, such as deprecated arguments or oneOf, so that it works
// with older servers. Errors are those of [Client.Run] and [ParseIntrospection].
func (c *Client) Schema(ctx context.Context) (*Schema, error) {
	supported, err := c.send(ctx, request{Query: probe}, maxSchemaBytes)
	query := introspection(nil)
	switch {
	case err == nil:
		query = introspection(supported.Data)
	case ctx.Err() != nil || !errors.Is(err, ErrBadRequest):
		return nil, err
	}
	whole, err := c.send(ctx, request{Query: query}, maxSchemaBytes)
	if err != nil {
		return nil, err
	}
	if len(whole.Errors) > 0 {
		return nil, refused(ErrInvalidSchema,
			"__schema", "the server could not return its whole schema: %q", clip(whole.Errors[0].Message, 200))
	}
	return ParseIntrospection(whole.Data)
}

// probe asks what the server's introspection supports. Every server can answer it.
const probe = `query { Schema: __type(name: "__Schema") { ...F } Type: __type(name: "__Type") { ...F } ` +
	`Field: __type(name: "__Field") { ...F } Input: __type(name: "__InputValue") { ...F } ` +
	`Directive: __type(name: "__Directive") { ...F } } ` +
	`fragment F on __Type { fields { name args { name } } }`

// introspection returns the introspection query for a server that gave this
// response to the probe. If the response is nil, the query asks for the minimum.
func introspection(supported json.RawMessage) string {
	var types map[string]*struct {
		Fields []struct {
			Name string
			Args []struct{ Name string }
		}
	}
	// If the response cannot be read, the query asks for the minimum.
	_ = json.Unmarshal(supported, &types)
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
	return "query { __schema { queryType { name } mutationType { name } subscriptionType { name }" +
		optional("Schema", "description") +
		" types { kind name description" + optional("Type", "specifiedByURL") + optional("Type", "isOneOf") +
		" fields(includeDeprecated: true) { name description args" + deprecated("Field", "args") +
		" { ...I } type { ...T } isDeprecated deprecationReason }" +
		" inputFields" + deprecated("Type", "inputFields") + " { ...I } interfaces { name }" +
		" enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { name } }" +
		" directives { name description" + optional("Directive", "isRepeatable") + " locations args" +
		deprecated("Directive", "args") + " { ...I } } } }" +
		" fragment I on __InputValue { name description type { ...T } defaultValue" + old + " }" +
		" fragment T on __Type { kind name" + strings.Repeat(" ofType { kind name", 9) + strings.Repeat(" }", 9) + " }"
}
