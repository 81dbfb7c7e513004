namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>A reader follows a stream or a tag.</summary>
/// <param name="Reader">The reader.</param>
/// <param name="Name">The place of the stream or tag among the names of its <see cref="LiveSelection"/>: streams first.</param>
internal readonly record struct LiveWatch(LiveReader Reader, int Name);
