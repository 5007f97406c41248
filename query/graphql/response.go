package graphql

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/strictjson"
)

// Limits on the errors of a response, which take far more memory decoded than as
// JSON.
const (
	maxErrors = 1000    // of a response
	maxPath   = 8 << 10 // bytes of a path
)

var (
	errForm   = errors.New("not a JSON object")
	errErrors = errors.New("errors is not a list of errors")
	errPath   = errors.New("the path of an error is not a list of names and indices")
)

// result decodes the body of a response. Unlike encoding/json, it does not accept
// names in another letter case.
func (c *Client) result(body []byte) (*Result, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("not UTF-8")
	}
	data, errs, err := members(body)
	if err != nil {
		return nil, err
	}
	r := &Result{Data: data}
	if !strictjson.Absent(r.Data) && r.Data[0] != '{' {
		return nil, errors.New("data is not an object")
	}
	if strictjson.Absent(errs) {
		return r, nil
	}
	list := json.NewDecoder(bytes.NewReader(errs))
	if t, err := list.Token(); err != nil || t != json.Delim('[') {
		return nil, errErrors
	}
	for list.More() && len(r.Errors) < maxErrors {
		f, err := c.fieldError(list)
		if err != nil {
			return nil, err
		}
		r.Errors = append(r.Errors, f)
	}
	return r, nil
}

// members returns the members of a response. It skips unknown members, of which
// there may be very many.
func members(body []byte) (data, errs json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, errForm
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, errForm
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, nil, errForm
		}
		switch name {
		case "data":
			data = raw
		case "errors":
			errs = raw
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return nil, nil, errForm
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, errForm
	}
	return data, errs, nil
}

func (c *Client) fieldError(list *json.Decoder) (FieldError, error) {
	var in struct {
		Message    string          `json:"message"`
		Path       json.RawMessage `json:"path"`
		Extensions json.RawMessage `json:"extensions"`
	}
	if err := list.Decode(&in); err != nil {
		return FieldError{}, errErrors
	}
	f := FieldError{Message: c.mask(in.Message)}
	var extensions struct {
		Code any `json:"code"`
	}
	if json.Unmarshal(in.Extensions, &extensions) == nil { // they have any form
		code, _ := extensions.Code.(string)
		f.Code = clip(c.mask(code), 80)
	}
	if strictjson.Absent(in.Path) {
		return f, nil
	}
	var path []json.RawMessage
	if len(in.Path) > maxPath || json.Unmarshal(in.Path, &path) != nil {
		return f, errPath
	}
	for _, raw := range path {
		var name string
		var index int
		switch {
		case json.Unmarshal(raw, &index) == nil && !strictjson.Absent(raw):
			f.Path = append(f.Path, index)
		case json.Unmarshal(raw, &name) == nil:
			f.Path = append(f.Path, c.mask(name))
		default:
			return f, errPath
		}
	}
	return f, nil
}

// kindOfErrors returns the kind that the codes of the errors stand for. The codes
// are those that servers commonly use.
func kindOfErrors(list []FieldError) ErrorKind {
	for _, e := range list {
		switch strings.ToUpper(e.Code) {
		case "UNAUTHENTICATED", "UNAUTHORIZED", "FORBIDDEN", "ACCESS_DENIED", "INVALID-JWT":
			return ErrAuth
		case "THROTTLED", "RATE_LIMITED", "RATE_LIMIT_EXCEEDED", "TOO_MANY_REQUESTS":
			return ErrRateLimit
		case "SERVICE_UNAVAILABLE":
			return ErrUnavailable
		case "TIMEOUT", "GATEWAY_TIMEOUT":
			return ErrTimeout
		}
	}
	return ErrBadRequest
}

// clean returns s for the text of an error: short, without credentials, and without
// control characters, which a terminal may execute. Errors of net/http can repeat
// texts of a server.
func (c *Client) clean(s string) string {
	return clip(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, c.mask(s)), 200)
}

// mask replaces the values of the request's header that a server repeats.
func (c *Client) mask(s string) string {
	for _, values := range c.header {
		for _, v := range values {
			secrets := []string{v}
			if _, token, ok := strings.Cut(v, " "); ok {
				secrets = append(secrets, token)
			}
			for _, secret := range secrets {
				if len(secret) >= 6 {
					s = strings.ReplaceAll(s, secret, "***")
				}
			}
		}
	}
	return s
}
