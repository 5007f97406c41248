package finding

import (
	"context"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// An ArtifactRef refers to a [qed.Artifact]. Large data is saved in the thread.
type ArtifactRef struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data,omitempty"`
	Handle    string `json:"handle,omitempty"` // for [qed.Load]; empty if Data has all
}

// inlineArtifact is how many bytes of data an ArtifactRef can have.
const inlineArtifact = 4 << 10

// SaveArtifact saves the data of a with [qed.Save] if it is larger than a few
// kilobytes. If it is larger than 1 MiB, the error
// matches [qed.ErrTooLarge].
func SaveArtifact(ctx context.Context, a qed.Artifact) (ArtifactRef, error) {
	r := ArtifactRef{Name: a.Name, MediaType: a.MediaType, Data: a.Data}
	if len(a.Data) <= inlineArtifact {
		return r, nil
	}
	handle, err := qed.Save(ctx, a.Data)
	if err != nil {
		return r, fmt.Errorf("finding: artifact %s: %w", prompt.Clip(a.Name, 100), err)
	}
	if handle != "" {
		r.Data, r.Handle = nil, handle
	}
	return r, nil
}

// Artifact returns the artifact with its data. If the data was removed since, the
// error matches [qed.ErrNotFound].
func (r ArtifactRef) Artifact(ctx context.Context) (qed.Artifact, error) {
	a := qed.Artifact{Name: r.Name, MediaType: r.MediaType, Data: r.Data}
	if r.Handle == "" {
		return a, nil
	}
	data, err := qed.Load[[]byte](ctx, r.Handle)
	a.Data = data
	return a, err
}
