package graphqlsource

import (
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/graphql"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
)

const (
	maxErrors = 3
	maxWords  = 200
)

// failure is the error of a call that gave no data. What a server refuses with errors of
// its own, such as a page that is too large, is the query's fault as far as can be told.
func failure(err error) error {
	failed, ok := errors.AsType[*graphql.Error](err)
	if !ok || failed.Kind != graphql.ErrBadRequest {
		return fmt.Errorf("graphqlsource: %w", err)
	}
	message := "the server refused it"
	if said := quoted(failed.Errors); said != "" {
		message += ": " + said
	}
	return &query.Refusal{Code: "server", Message: message, Err: err}
}

// partly says which fields failed in an answer that has data; empty: none did.
func partly(list []graphql.FieldError) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "the server could not give a field: " + quoted(list)
	}
	return fmt.Sprintf("the server could not give %d fields: %s", len(list), quoted(list))
}

// quoted is what a server says of errors: the first of them, as data.
func quoted(list []graphql.FieldError) string {
	var parts []string
	for _, e := range list[:min(len(list), maxErrors)] {
		part := prompt.Quote(prompt.Clip(e.Message, maxWords))
		if at := path(e.Path); at != "" {
			part += " at " + prompt.Quote(prompt.Clip(at, maxWords))
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
