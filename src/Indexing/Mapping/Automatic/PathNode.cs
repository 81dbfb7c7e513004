using System.Text;
using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Mapping.Automatic;

/// <summary>
/// The paths of an automatic index as a tree: a node for each place in a document at which a value may be wanted, so that one forward scan
/// finds all of them.
/// </summary>
internal sealed class PathNode
{
    private readonly List<PathNode> _members = [];
    private readonly byte[] _name;
    private readonly byte[] _quotedName;

    /// <param name="name">Of the member whose value is here.</param>
    public PathNode(string name)
    {
        _name = Encoding.UTF8.GetBytes(name);
        _quotedName = [.. _name, (byte)'"'];
        IsPlain = !_name.AsSpan().ContainsAnyInRange<byte>(0, 0x1F) && !_name.AsSpan().ContainsAny((byte)'"', (byte)'\\');
    }

    /// <summary>The value here is that of these fields: places in the map's list.</summary>
    public List<int> Fields { get; } = [];

    /// <summary>These fields have the number of elements of the array here: their paths end one step further, in a name of
    /// <see cref="ElementCounts"/>.</summary>
    public List<int> Counts { get; } = [];

    /// <summary>The elements of the array here, where a path goes on inside them; null: none does.</summary>
    public PathNode? Elements { get; private set; }

    /// <summary>Its name in UTF-8.</summary>
    public ReadOnlySpan<byte> Name => _name;

    /// <summary>The name with the quote that follows it in JSON.</summary>
    public ReadOnlySpan<byte> QuotedName => _quotedName;

    /// <summary>JSON can have the name without escapes.</summary>
    public bool IsPlain { get; }

    /// <summary>Paths go on inside the object here.</summary>
    public bool HasMembers => _members.Count > 0;

    /// <summary>The members of the object here that are wanted.</summary>
    public List<PathNode> Members => _members;

    /// <summary>Adds a field at the end of a path.</summary>
    public void Add(IReadOnlyList<FieldPathStep> path, int field)
    {
        var node = this;
        for (int i = 0; i < path.Count; i++)
        {
            if (i > 0 && i + 1 == path.Count && ElementCounts.IsName(path[i]))
                node.Counts.Add(field);
            node = node.Member(path[i].Name);
            // At its end, a path to each element is the path to the array.
            if (path[i].IsEach && i + 1 < path.Count)
                node = node.Elements ??= new PathNode("");
        }
        node.Fields.Add(field);
    }

    private PathNode Member(string name)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(name);
        if (_members.Find(member => member.Name.SequenceEqual(utf8)) is { } known)
            return known;
        var added = new PathNode(name);
        _members.Add(added);
        return added;
    }
}
