using System.Text;

namespace Jackdaw.Documents.Ids;

/// <summary>
/// Writes the change vector that an etag has in a database. An etag from before a copy was made keeps the change vector that it has in the
/// original.
/// </summary>
internal sealed class ChangeVectorHistory
{
    private readonly byte[] _nodeTag;
    private readonly byte[] _databaseId;
    private readonly (byte[] DatabaseId, long ForkEtag)[] _ancestors;

    /// <param name="nodeTag">Of the server.</param>
    /// <param name="databaseId">Of the database.</param>
    /// <param name="ancestors">What the database is a copy of, the nearest first, with the last etag of each before the copy.</param>
    public ChangeVectorHistory(string nodeTag, Guid databaseId, IEnumerable<(Guid DatabaseId, long ForkEtag)> ancestors)
    {
        _nodeTag = Encoding.ASCII.GetBytes(nodeTag);
        _databaseId = Text(databaseId);
        _ancestors = [.. ancestors.Select(ancestor => (Text(ancestor.DatabaseId), ancestor.ForkEtag))];
    }

    /// <summary>Writes at most <see cref="ChangeVector.MaxElementBytes"/> and returns the length.</summary>
    public int Write(long etag, Span<byte> destination)
    {
        byte[] databaseId = _databaseId;
        foreach (var (ancestor, forkEtag) in _ancestors)
        {
            if (etag > forkEtag)
                break;
            databaseId = ancestor;
        }
        return ChangeVector.Write(_nodeTag, etag, databaseId, destination);
    }

    private static byte[] Text(Guid databaseId) => Encoding.ASCII.GetBytes(ChangeVector.DatabaseIdText(databaseId));
}
