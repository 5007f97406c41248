package mcpkit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/prompt"
)

const (
	maxParts        = 50       // artifacts of a result, and citations
	inlineArtifact  = 16 << 10 // bytes of an artifact in the result, if no store keeps it
	maxExcerpt      = 500      // bytes
	maxResourceLine = 300      // bytes of a title
)

// An output is the JSON that a call returns, as the package documentation says under
// Results.
type output struct {
	Text      string                `json:"text,omitempty"`
	Truncated bool                  `json:"truncated,omitempty"`
	Value     json.RawMessage       `json:"value,omitempty"`
	Artifacts []finding.ArtifactRef `json:"artifacts,omitempty"`
	Citations []qed.Citation        `json:"citations,omitempty"`
	LeftOut   []string              `json:"left_out,omitempty"`
}

// output returns the output of a tool for the server's result, or the error that the
// result holds.
func (c *Client) output(ctx context.Context, r *mcp.CallToolResult) (json.RawMessage, error) {
	var texts []string
	for _, content := range r.Content {
		switch part := content.(type) {
		case *mcp.TextContent:
			if r.IsError || forModel(part.Annotations) {
				texts = append(texts, part.Text)
			}
		case *mcp.EmbeddedResource:
			if r.IsError && part.Resource != nil {
				texts = append(texts, part.Resource.Text)
			}
		}
	}
	if r.IsError {
		return nil, toolError(texts, r.StructuredContent)
	}
	var out output
	for i, content := range r.Content {
		if err := out.add(ctx, i+1, content); err != nil {
			return nil, err
		}
	}
	object, isObject := r.StructuredContent.(map[string]any)
	if r.StructuredContent != nil && !(isObject && len(object) == 0 && out.Text != "") {
		value, same, err := exact(r.StructuredContent, texts)
		if err != nil {
			return nil, err
		}
		if same {
			out.Text = ""
		}
		if isObject && out.Text == "" && out.onlyText() && (c.opt.Trusted || !isFinding(object, maxText)) {
			return value, nil
		}
		out.Value = value
	}
	text := clean(out.Text, maxText)
	out.Truncated = len(out.Text) > maxText && len(text) >= maxText
	out.Text = text
	if out.Value != nil {
		return json.Marshal(out)
	}
	if out.Text == "" && out.onlyText() {
		return json.RawMessage(`{"text":""}`), nil
	}
	return json.Marshal(out)
}

// onlyText reports whether the output has nothing but a text.
func (o *output) onlyText() bool { return o.Artifacts == nil && o.Citations == nil && o.LeftOut == nil }

// toolError returns the error that a result holds: its texts, and the structured content if
// that says something else.
func toolError(texts []string, structured any) error {
	text := strings.Join(texts, "\n")
	value, same, err := exact(structured, texts)
	if err == nil && !same && string(value) != "null" && string(value) != "{}" {
		text += "\n" + string(value)
	}
	if text = clean(text, maxErrorText); text == "" {
		text = "the MCP server reports that the call failed, without a reason"
	}
	return errors.New(text)
}

// isFinding reports whether an object has members of a [finding.Finding], on
// which qed's agents act. A "text" is allowed if it has at most n bytes and no
// control characters.
func isFinding(object map[string]any, n int) bool {
	for name, value := range object {
		if strings.EqualFold(name, "text") {
			text, ok := value.(string)
			if text = strings.TrimSpace(text); ok && clean(text, n) != text {
				return true
			}
			continue
		}
		for _, member := range findingMembers {
			if strings.EqualFold(name, member) {
				return true
			}
		}
	}
	return false
}

// findingMembers are the JSON names of the members of a finding.Finding.
var findingMembers = func() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[finding.Finding]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

// exact returns the JSON of structured content, and reports whether each text has the
// same, as the protocol recommends, so that they say nothing more. The digits are then
// those of the text, because the SDK reads numbers as float64.
func exact(structured any, texts []string) (value json.RawMessage, same bool, err error) {
	for _, text := range texts {
		var d digits
		quoted := d.end(d.add(nil, []byte(text)))
		var said any
		if json.Unmarshal(quoted, &said) != nil || !reflect.DeepEqual(said, structured) {
			value, same = nil, false
			break
		}
		value, same = []byte(text), true
	}
	if !same {
		value, err = json.Marshal(structured)
		return value, false, err
	}
	var b bytes.Buffer
	err = json.Compact(&b, value)
	return b.Bytes(), true, err
}

// add adds a part of a result's content; number counts the parts from 1.
func (o *output) add(ctx context.Context, number int, content mcp.Content) error {
	switch v := content.(type) {
	case *mcp.TextContent:
		if forModel(v.Annotations) {
			o.text(v.Text)
		} else {
			o.leaveOut(fmt.Sprintf("part %d, for the user alone", number))
		}
	case *mcp.ImageContent:
		return o.artifact(ctx, fmt.Sprintf("image-%d", number), v.MIMEType, v.Data)
	case *mcp.AudioContent:
		return o.artifact(ctx, fmt.Sprintf("audio-%d", number), v.MIMEType, v.Data)
	case *mcp.ResourceLink:
		title := cmp.Or(v.Title, v.Name)
		o.citation(title, v.URI, v.Description)
	case *mcp.EmbeddedResource:
		switch r := v.Resource; {
		case r == nil:
		case r.Blob != nil:
			return o.artifact(ctx, resourceName(r.URI, number), r.MIMEType, r.Blob)
		default:
			o.text(r.Text)
			o.citation("", r.URI, r.Text)
		}
	default:
		o.leaveOut(fmt.Sprintf("part %d, of an unknown type", number))
	}
	return nil
}

// forModel reports whether a part is for the model, and not for the user alone.
func forModel(a *mcp.Annotations) bool {
	return a == nil || len(a.Audience) == 0 || slices.Contains(a.Audience, "assistant")
}

func (o *output) text(text string) {
	if o.Text != "" {
		o.Text += "\n"
	}
	o.Text += text
}

func (o *output) leaveOut(what string) {
	if len(o.LeftOut) < maxParts {
		o.LeftOut = append(o.LeftOut, what)
	}
}

func (o *output) citation(title, uri, excerpt string) {
	if len(o.Citations) == maxParts {
		o.leaveOut("more citations than 50")
		return
	}
	title, uri = clean(title, maxResourceLine), clean(uri, 2000)
	title = cmp.Or(title, prompt.Clip(uri, maxResourceLine))
	s := qed.Citation{Title: title, Excerpt: clean(excerpt, maxExcerpt)}
	unsafe := []string{"javascript", "data", "vbscript", "blob"}
	if u, err := url.Parse(uri); err == nil && !slices.Contains(unsafe, strings.ToLower(u.Scheme)) {
		s.Location = uri
	}
	o.Citations = append(o.Citations, s)
}

// artifact saves the data in the store of the run, if there is one, because it is not
// a text for a model.
func (o *output) artifact(ctx context.Context, name, mediaType string, data []byte) error {
	if _, _, err := mime.ParseMediaType(mediaType); err != nil {
		mediaType = "application/octet-stream"
	}
	mediaType = prompt.Clip(mediaType, 100)
	tooLarge := fmt.Sprintf("%s, %s, %d bytes: too large", name, mediaType, len(data))
	if len(o.Artifacts) == maxParts {
		o.leaveOut("more artifacts than 50")
		return nil
	}
	saved, err := finding.SaveArtifact(ctx, qed.Artifact{Name: name, MediaType: mediaType, Data: data})
	switch {
	case errors.Is(err, qed.ErrTooLarge):
		o.leaveOut(tooLarge)
	case err != nil:
		return err
	case len(saved.Data) > inlineArtifact:
		o.leaveOut(tooLarge)
	default:
		o.Artifacts = append(o.Artifacts, saved)
	}
	return nil
}

// resourceName returns the last part of a resource's path.
func resourceName(uri string, number int) string {
	if u, err := url.Parse(uri); err == nil {
		if name := clean(path.Base(u.Path), 100); name != "" && name != "." && name != "/" {
			return name
		}
	}
	return fmt.Sprintf("resource-%d", number)
}
