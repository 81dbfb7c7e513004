using System.Buffers;
using Jackdaw.Documents.Json;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Mapping.Automatic;

/// <summary>A document's metadata as one JSON object: the client's own members, and those that the server adds where a path wants them.
/// Of one thread.</summary>
internal sealed class MetadataValues : IDisposable
{
    private static readonly byte[] s_id = "@id"u8.ToArray();
    private static readonly byte[] s_collection = "@collection"u8.ToArray();
    private static readonly byte[] s_changeVector = "@change-vector"u8.ToArray();
    private static readonly byte[] s_lastModified = "@last-modified"u8.ToArray();
    private static readonly byte[] s_flags = "@flags"u8.ToArray();

    private readonly bool _wantsId;
    private readonly bool _wantsCollection;
    private readonly bool _wantsChangeVector;
    private readonly bool _wantsLastModified;
    private readonly bool _wantsFlags;
    private byte[] _bytes = ArrayPool<byte>.Shared.Rent(1024);
    private int _length;

    /// <param name="root">The paths below <c>@metadata</c>.</param>
    public MetadataValues(PathNode root)
    {
        Root = root;
        _wantsId = Wants(s_id);
        _wantsCollection = Wants(s_collection);
        _wantsChangeVector = Wants(s_changeVector);
        _wantsLastModified = Wants(s_lastModified);
        _wantsFlags = Wants(s_flags);
    }

    /// <summary>The paths below <c>@metadata</c>.</summary>
    public PathNode Root { get; }

    /// <summary>The object; valid until the next call.</summary>
    public ReadOnlySpan<byte> Of(in Document document)
    {
        _length = 0;
        Append("{"u8);
        Append(document.Metadata);
        if (_wantsId)
            AppendText(s_id, document.Id);
        if (_wantsCollection && document.HasCollection)
            AppendText(s_collection, document.Collection);
        if (_wantsChangeVector)
            AppendText(s_changeVector, document.ChangeVector);
        if (_wantsLastModified)
        {
            Span<byte> date = stackalloc byte[ProtocolDate.Length + 1];
            AppendText(s_lastModified, date[..ProtocolDate.Format(document.LastModifiedTicks, date, withZ: true)]);
        }
        if (_wantsFlags && document.Flags != DocumentFlags.None)
            AppendText(s_flags, System.Text.Encoding.UTF8.GetBytes(document.Flags.ToString()));
        Append("}"u8);
        return _bytes.AsSpan(0, _length);
    }

    public void Dispose()
    {
        if (_bytes.Length > 0)
            ArrayPool<byte>.Shared.Return(_bytes);
        _bytes = [];
    }

    private bool Wants(byte[] name) => Root.Members.Any(member => member.Name.SequenceEqual(name));

    private void AppendText(byte[] name, ReadOnlySpan<byte> text)
    {
        if (_length > 1)
            Append(","u8);
        Append("\""u8);
        Append(name);
        Append("\":\""u8);
        if (text.ContainsAnyInRange((byte)0, (byte)31) || text.ContainsAny((byte)'"', (byte)'\\'))
            Append(System.Text.Json.JsonEncodedText.Encode(text).EncodedUtf8Bytes);
        else
            Append(text);
        Append("\""u8);
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        if (_length + bytes.Length > _bytes.Length)
        {
            byte[] larger = ArrayPool<byte>.Shared.Rent(2 * (_length + bytes.Length));
            _bytes.AsSpan(0, _length).CopyTo(larger);
            ArrayPool<byte>.Shared.Return(_bytes);
            _bytes = larger;
        }
        bytes.CopyTo(_bytes.AsSpan(_length));
        _length += bytes.Length;
    }
}
