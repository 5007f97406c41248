package graphql

import "github.com/vektah/gqlparser/v2/ast"

// The response to an introspection query. Members that an older server does not
// support are zero.
type (
	introspected struct {
		Query        *namedRef   `json:"queryType"`
		Mutation     *namedRef   `json:"mutationType"`
		Subscription *namedRef   `json:"subscriptionType"`
		Description  string      `json:"description"`
		Types        []introType `json:"types"`
	}
	namedRef struct {
		Name string `json:"name"`
	}
	introType struct {
		Kind          ast.DefinitionKind `json:"kind"`
		Name          string             `json:"name"`
		Description   string             `json:"description"`
		IsOneOf       bool               `json:"isOneOf"`
		Fields        []introField       `json:"fields"`
		InputFields   []introInput       `json:"inputFields"`
		Interfaces    []namedRef         `json:"interfaces"`
		PossibleTypes []namedRef         `json:"possibleTypes"`
		EnumValues    []introEnumValue   `json:"enumValues"`
	}
	introField struct {
		Name        string       `json:"name"`
		Description string       `json:"description"`
		Args        []introInput `json:"args"`
		Type        *introRef    `json:"type"`
		deprecation
	}
	introInput struct {
		Name         string    `json:"name"`
		Description  string    `json:"description"`
		Type         *introRef `json:"type"`
		DefaultValue *string   `json:"defaultValue"`
		deprecation
	}
	introEnumValue struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		deprecation
	}
	introRef struct {
		Kind   string    `json:"kind"`
		Name   string    `json:"name"`
		OfType *introRef `json:"ofType"`
	}
	deprecation struct {
		IsDeprecated bool   `json:"isDeprecated"`
		Reason       string `json:"deprecationReason"`
	}
)

// countValues counts the values of lists and objects in JSON. An empty object
// takes three bytes as JSON and far more memory decoded.
func countValues(response []byte) int {
	n, text := 1, false
	for i := 0; i < len(response); i++ {
		switch c := response[i]; {
		case c == '"':
			text = !text
		case c == '\\':
			i++
		case c == ',' && !text:
			n++
		}
	}
	return n
}
