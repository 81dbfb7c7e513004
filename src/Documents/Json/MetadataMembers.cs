using System.Text.Json;
using Jackdaw.Documents.Buffers;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Json;

/// <summary>The client's members of <c>@metadata</c> as a row has them: raw, joined by commas, without braces.</summary>
internal static class MetadataMembers
{
    /// <summary>Appends the members without those of a name, and returns where they are.</summary>
    /// <param name="members">Must not lie in the buffer.</param>
    /// <param name="name">ASCII without characters that need escaping.</param>
    /// <param name="buffer">Where to.</param>
    public static ByteRange Without(ReadOnlySpan<byte> members, ReadOnlySpan<byte> name, ref CommandBuffer buffer)
    {
        // The reader wants an object. It lies behind the result, which is never longer.
        int start = buffer.Length;
        var room = buffer.GetSpan((2 * members.Length) + 2);
        var whole = room.Slice(members.Length, members.Length + 2);
        whole[0] = (byte)'{';
        members.CopyTo(whole[1..]);
        whole[^1] = (byte)'}';
        int written = 0;
        var reader = new Utf8JsonReader(whole, new JsonReaderOptions { MaxDepth = int.MaxValue });
        reader.Read();
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            int memberStart = (int)reader.TokenStartIndex;
            bool isOut = JsonName.Is(in reader, name);
            reader.Skip();
            if (isOut)
                continue;
            if (written > 0)
                room[written++] = (byte)',';
            var member = whole[memberStart..(int)reader.BytesConsumed];
            member.CopyTo(room[written..]);
            written += member.Length;
        }
        Invariant.Require(written <= members.Length);
        buffer.Advance(written);
        return new ByteRange(start, written);
    }

    /// <summary>Reads the dates that the members name, as a write does.</summary>
    /// <exception cref="JsonException">The members are not JSON.</exception>
    /// <exception cref="Errors.InvalidDocumentException">A date is none.</exception>
    public static Layout.DocumentDates ReadDates(ReadOnlySpan<byte> members)
    {
        byte[] document = [.. "{\"@metadata\":{"u8, .. members, .. "}}"u8];
        var buffer = default(CommandBuffer);
        var reader = new Utf8JsonReader(document, new JsonReaderOptions { MaxDepth = int.MaxValue });
        reader.Read();
        reader.Read();
        var split = default(SplitDocument);
        MetadataSplitter.Read(ref reader, document, ref split, ref buffer);
        return split.Dates;
    }
}
