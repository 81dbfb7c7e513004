using System.Text;

namespace Jackdaw.EventStreams.Client.Waking;

/// <summary>The streams and tags that one connection names to the server; immutable once it is sent.</summary>
internal sealed class FollowedNames
{
    /// <summary>The server's <c>LiveReadLimits.MaxNamesPerReader</c>.</summary>
    private const int MaxNames = 256;

    /// <summary>Servers take request lines of 8 KB; the address, the database and its id need some of them.</summary>
    private const int MaxQueryBytes = 6000;

    private readonly HashSet<string> _streams = new(StringComparer.Ordinal);
    private readonly HashSet<string> _tags = new(StringComparer.Ordinal);
    private readonly StringBuilder _query = new();

    /// <summary>The server tells of everything: somebody follows it, or there are more names than one connection may have.</summary>
    public bool IsEverything { get; private set; }

    /// <summary>The names as a part of a query string.</summary>
    public string Query => IsEverything ? $"&everything=true{_query}" : _query.ToString();

    /// <summary>Nobody follows anything.</summary>
    public bool IsEmpty => !IsEverything && _streams.Count + _tags.Count == 0;

    public void Add(Follower follower)
    {
        IsEverything |= follower.FollowsEverything;
        if (follower.Stream is { } stream)
            Add(_streams, "&stream=", stream);
        foreach (var tag in follower.Tags)
            Add(_tags, "&tag=", tag);
    }

    /// <summary>Whether the server tells of all that a follower follows.</summary>
    public bool Covers(Follower follower) => IsEverything || Names(follower);

    /// <summary>Whether everything that a follower follows is named, so that the server says when it is concerned.</summary>
    public bool Names(Follower follower) =>
        !follower.FollowsEverything && (follower.Stream is null || _streams.Contains(follower.Stream)) && follower.Tags.All(_tags.Contains);

    private void Add(HashSet<string> names, string parameter, string name)
    {
        if (names.Contains(name))
            return;
        var part = parameter + Uri.EscapeDataString(name);
        if (_streams.Count + _tags.Count == MaxNames || _query.Length + part.Length > MaxQueryBytes)
        {
            IsEverything = true;
            return;
        }
        names.Add(name);
        _query.Append(part);
    }
}
