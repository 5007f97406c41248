package graphqlsource

import (
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/refusal"
)

// The codes of this package. Other problems have the codes of package graphql.
const (
	// ErrInvalidJSON: the query is not the JSON object of a GraphQL request.
	ErrInvalidJSON refusal.Code = "invalid_json"
	// ErrServer: the server refused the query.
	ErrServer refusal.Code = "server"
)

const (
	maxErrors = 3   // that are quoted
	maxText   = 200 // bytes
)

// failure returns the error of a request without data. Errors of the server, such as a
// page that is too large, are treated as a fault of the query, so that the model can
// correct it.
func failure(err error) error {
	failed, ok := errors.AsType[*graphql.Error](err)
	if !ok || failed.Kind != graphql.ErrBadRequest {
		return fmt.Errorf("graphqlsource: %w", err)
	}
	message := "the server refused the query"
	if texts := quoted(failed.Errors); texts != "" {
		message += ": " + texts
	}
	return &refusal.Error{
		Package:  "graphqlsource",
		Problems: []refusal.Problem{{Code: ErrServer, Message: message}},
		Err:      err,
	}
}

// partialFailure returns a text about the fields that failed in a response with data,
// or "".
func partialFailure(list []graphql.FieldError) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "the server could not return a field: " + quoted(list)
	}
	return fmt.Sprintf("the server could not return %d fields: %s", len(list), quoted(list))
}

// quoted returns the first errors of a server, quoted as data.
func quoted(list []graphql.FieldError) string {
	var parts []string
	for _, e := range list[:min(len(list), maxErrors)] {
		part := prompt.Quote(prompt.Clip(e.Message, maxText))
		if at := path(e.Path); at != "" {
			part += " at " + prompt.Quote(prompt.Clip(at, maxText))
		}
		parts = append(parts, part)
	}
	if len(list) > maxErrors {
		parts = append(parts, fmt.Sprintf("and %d more", len(list)-maxErrors))
	}
	return strings.Join(parts, ", ")
}

func path(steps []any) string {
	parts := make([]string, len(steps))
	for i, step := range steps {
		parts[i] = fmt.Sprint(step)
	}
	return strings.Join(parts, ".")
}
