package graphql

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What is kept of errors, which take far more room here than in an answer.
const (
	maxErrors = 1000    // of an answer
	maxPath   = 8 << 10 // bytes of a path
)

var (
	errForm   = errors.New("no JSON object")
	errErrors = errors.New("errors is no list of errors")
	errPath   = errors.New("the path of an error is no list of names and places")
)

// answer reads a body by its exact names.
func (c *Client) answer(body []byte) (*Result, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("not UTF-8")
	}
	data, errs, extensions, err := members(body)
	if err != nil {
		return nil, err
	}
	r := &Result{Data: data}
	if !isNull(r.Data) && r.Data[0] != '{' {
		return nil, errors.New("data is no object")
	}
	if !isNull(extensions) {
		r.Extensions = c.blackenJSON(extensions)
	}
	if isNull(errs) {
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

// members are what is known of an object. Others are not kept: there may be very many.
func members(body []byte) (data, errs, extensions json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, nil, errForm
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, nil, nil, errForm
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, nil, nil, errForm
		}
		switch name {
		case "data":
			data = raw
		case "errors":
			errs = raw
		case "extensions":
			extensions = raw
		}
	}
	if _, err := d.Token(); err != nil { // the end of the object
		return nil, nil, nil, errForm
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, nil, errTrailing
	}
	return data, errs, extensions, nil
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
	f := FieldError{Message: c.blacken(in.Message)}
	if !isNull(in.Extensions) {
		f.Extensions = c.blackenJSON(in.Extensions)
	}
	if isNull(in.Path) {
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
		case json.Unmarshal(raw, &index) == nil && !isNull(raw):
			f.Path = append(f.Path, index)
		case json.Unmarshal(raw, &name) == nil:
			f.Path = append(f.Path, c.blacken(name))
		default:
			return f, errPath
		}
	}
	return f, nil
}

// kindOfErrors reads the codes that servers commonly give.
func kindOfErrors(list []FieldError) Kind {
	for _, e := range list {
		var ext struct {
			Code any `json:"code"`
		}
		if json.Unmarshal(e.Extensions, &ext) != nil {
			continue
		}
		code, _ := ext.Code.(string)
		switch strings.ToUpper(code) {
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
	return ErrRefused
}

// clean is for an error's own text: short, without credentials, and without what
// cannot be seen, which a terminal may obey. It may be a server's: net/http
// repeats some of what it cannot read.
func (c *Client) clean(s string) string {
	return clip(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, c.blacken(s)), 200)
}

// blacken takes out what a server repeats of the request's header.
func (c *Client) blacken(s string) string {
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

// literal is a JSON string with its quotes.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// blackenJSON takes it out of JSON, also where it is written with escapes.
func (c *Client) blackenJSON(raw json.RawMessage) json.RawMessage {
	if len(c.header) > 0 && bytes.IndexByte(raw, '\\') >= 0 {
		raw = literal.ReplaceAllFunc(raw, func(quoted []byte) []byte {
			var s string
			if bytes.IndexByte(quoted, '\\') < 0 || json.Unmarshal(quoted, &s) != nil || c.blacken(s) == s {
				return quoted
			}
			black, _ := json.Marshal(c.blacken(s)) // a string always has a JSON form
			return black
		})
	}
	if raw = json.RawMessage(c.blacken(string(raw))); !json.Valid(raw) {
		return nil // it was a number
	}
	return raw
}

func isNull(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || bytes.Equal(raw, []byte("null"))
}
