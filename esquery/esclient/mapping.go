package esclient

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/qedkit/qed/esquery"
)

// Mapping returns the mapping of an index, or of all indices that an alias stands
// for, with what the engine says of each field's capabilities. Its errors are
// [*esquery.EngineError], or match [context.Canceled].
func (c *Client) Mapping(ctx context.Context, index string) (*esquery.Mapping, error) {
	if index == "" { // it would mean all that there are
		return nil, errors.New("esclient: Mapping needs the name of an index")
	}
	var mapping *esquery.Mapping
	err := c.do(ctx, &call{
		index: index,
		request: func(time.Duration) esapi.Request {
			return esapi.IndicesGetMappingRequest{Index: path(index)}
		},
		read: func(r *reply) (err error) {
			mapping, err = esquery.ParseMapping(bytes.Clone(r.body))
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	err = c.do(ctx, &call{
		index: index,
		request: func(time.Duration) esapi.Request {
			return esapi.FieldCapsRequest{Index: path(index), Fields: []string{"*"}}
		},
		read: func(r *reply) (err error) {
			mapping, err = mapping.AddFieldCaps(bytes.Clone(r.body))
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return mapping, nil
}
