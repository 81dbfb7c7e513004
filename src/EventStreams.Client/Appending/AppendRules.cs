using Jackdaw.EventStreams.Client.Errors;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>The server's rules for appends, looked at before anything is sent.</summary>
internal static class AppendRules
{
    /// <summary>The bytes of each group as the server counts them.</summary>
    /// <exception cref="InvalidAppendException">A rule is broken; the message names what, the limit and the setting.</exception>
    public static long[] Verify(StreamAppend append, EventStreamsClientOptions options)
    {
        ArgumentNullException.ThrowIfNull(append);
        var streamBytes = Texts.RequireStream(append.Stream);
        if (append.Groups.Count == 0)
            throw new InvalidAppendException($"The append to stream '{append.Stream}' has no groups.");
        var sizes = new long[append.Groups.Count];
        for (var i = 0; i < sizes.Length; i++)
            sizes[i] = streamBytes + VerifyGroup(append.Stream, append.Groups[i], options);
        return sizes;
    }

    /// <exception cref="InvalidAppendException">A rule is broken.</exception>
    public static long VerifyGroup(string stream, EventGroup group, EventStreamsClientOptions options)
    {
        if (group.Events.Count == 0)
            throw new InvalidAppendException($"A group of stream '{stream}' has no events.");
        if (group.First < 1 || group.First > long.MaxValue - group.Events.Count + 1)
            throw new InvalidAppendException($"A group of '{stream}' begins with number {group.First}; numbers are 1 to 2^63 - 1.");
        if (group.ExpectedLast is < 0)
            throw new InvalidAppendException($"A group of stream '{stream}' expects number {group.ExpectedLast}; it is at least 0.");
        long size = ClientLimits.OverheadBytes + Texts.Require(group.Writer, "The writer");
        for (var i = 0; i < group.Events.Count; i++)
            size += VerifyEvent(stream, group.First + i, group.Events[i], options);
        if (size > options.MaxAppendBytes)
            throw new InvalidAppendException(
                $"The {group.Events.Count:N0} events from {group.First} of stream '{stream}' are stored together or not at all, and have "
                    + $"{size:N0} bytes; the limit is {Texts.Size(options.MaxAppendBytes)} "
                    + "(Limits.MaxAppendSizeInMb of the server, MaxAppendBytes here)."
            );
        return size;
    }

    private static long VerifyEvent(string stream, long number, NewEvent added, EventStreamsClientOptions options)
    {
        if (added.Payload.Length > options.MaxEventBytes)
            throw new InvalidAppendException(
                $"The payload of {Place()} has {added.Payload.Length:N0} bytes; the limit is {Texts.Size(options.MaxEventBytes)} "
                    + "(Limits.MaxEventSizeInMb of the server, MaxEventBytes here)."
            );
        if (added.Ticks < 0)
            throw new InvalidAppendException($"The ticks of {Place()} are {added.Ticks}; they are at least 0.");
        if (added.Tags.Count > ClientLimits.MaxTags)
            throw new InvalidAppendException($"The {Place()} has {added.Tags.Count:N0} tags; the limit is {ClientLimits.MaxTags}.");
        long size = ClientLimits.OverheadBytes + added.Payload.Length;
        size += Texts.Require(added.Manifest, new TextPlace("The manifest", stream, number));
        size += Texts.Require(added.AdapterManifest, new TextPlace("The adapter manifest", stream, number));
        foreach (var tag in added.Tags)
        {
            var bytes = Texts.Require(tag, new TextPlace("A tag", stream, number));
            size +=
                bytes > 0
                    ? bytes
                    : throw new InvalidAppendException(
                        $"A tag of {Place()} is empty; a tag has 1 to {ClientLimits.MaxTextBytes:N0} bytes."
                    );
        }
        return size;

        string Place() => $"event {number} of stream '{stream}'";
    }
}
