package main

import (
	"errors"
	"io"
	"log/slog"

	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	modev3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// processor is the gRPC service that Envoy asks, with one stream per HTTP request.
type processor struct {
	extproc.UnimplementedExternalProcessorServer

	settings settings
	checker  *checker
	logger   *slog.Logger
}

// Process implements extproc.ExternalProcessorServer: one reply per message, in order.
func (p *processor) Process(stream extproc.ExternalProcessor_ProcessServer) error {
	e := &exchange{processor: p, ctx: stream.Context()}
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		reply, err := e.handle(message)
		if err != nil {
			p.logger.Warn("message refused", "error", err)
			return err
		}
		if err := stream.Send(reply); err != nil {
			return err
		}
	}
}

// handle returns the reply to one message.
func (e *exchange) handle(message *extproc.ProcessingRequest) (*extproc.ProcessingResponse, error) {
	if c := message.GetProtocolConfig(); c != nil && (c.GetRequestBodyMode() != modev3.ProcessingMode_BUFFERED || c.GetResponseBodyMode() != modev3.ProcessingMode_BUFFERED) {
		return nil, status.Error(codes.FailedPrecondition, "set request_body_mode and response_body_mode of the ext_proc filter to BUFFERED")
	}
	switch m := message.GetRequest().(type) {
	case *extproc.ProcessingRequest_RequestHeaders:
		r := e.requestHeaders(m.RequestHeaders)
		return r.build(func(c *extproc.CommonResponse) *extproc.ProcessingResponse {
			return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_RequestHeaders{RequestHeaders: &extproc.HeadersResponse{Response: c}}}
		}), nil
	case *extproc.ProcessingRequest_RequestBody:
		r := e.requestBody(m.RequestBody.GetBody())
		return r.build(func(c *extproc.CommonResponse) *extproc.ProcessingResponse {
			return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_RequestBody{RequestBody: &extproc.BodyResponse{Response: c}}}
		}), nil
	case *extproc.ProcessingRequest_ResponseHeaders:
		r := e.responseHeaders(m.ResponseHeaders)
		return r.build(func(c *extproc.CommonResponse) *extproc.ProcessingResponse {
			return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_ResponseHeaders{ResponseHeaders: &extproc.HeadersResponse{Response: c}}}
		}), nil
	case *extproc.ProcessingRequest_ResponseBody:
		r := e.responseBody(m.ResponseBody.GetBody())
		return r.build(func(c *extproc.CommonResponse) *extproc.ProcessingResponse {
			return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_ResponseBody{ResponseBody: &extproc.BodyResponse{Response: c}}}
		}), nil
	case *extproc.ProcessingRequest_RequestTrailers:
		return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_RequestTrailers{RequestTrailers: &extproc.TrailersResponse{}}}, nil
	case *extproc.ProcessingRequest_ResponseTrailers:
		return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_ResponseTrailers{ResponseTrailers: &extproc.TrailersResponse{}}}, nil
	}
	return nil, status.Error(codes.InvalidArgument, "the message has neither headers, nor a body, nor trailers")
}

// reply is what happens next with a request or a response.
type reply struct {
	status int // above 0: the client gets this response at once
	body   []byte

	set    map[string]string
	remove []string
	mode   *modev3.ProcessingMode // of what follows
}

// build wraps the reply as Envoy expects it for the kind of message.
func (r *reply) build(wrap func(*extproc.CommonResponse) *extproc.ProcessingResponse) *extproc.ProcessingResponse {
	headers := &extproc.HeaderMutation{RemoveHeaders: r.remove}
	for name, value := range r.set {
		if value == "" {
			continue // Envoy would remove the header
		}
		headers.SetHeaders = append(headers.SetHeaders, &corev3.HeaderValueOption{
			Header:       &corev3.HeaderValue{Key: name, RawValue: []byte(value)},
			AppendAction: corev3.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD,
		})
	}
	if r.status > 0 {
		return &extproc.ProcessingResponse{Response: &extproc.ProcessingResponse_ImmediateResponse{ImmediateResponse: &extproc.ImmediateResponse{
			Status: &typev3.HttpStatus{Code: typev3.StatusCode(r.status)}, Headers: headers, Body: r.body, Details: "confab",
		}}}
	}
	response := wrap(&extproc.CommonResponse{HeaderMutation: headers})
	response.ModeOverride = r.mode
	return response
}
