using System.Buffers.Binary;
using Jackdaw.Storage;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Postings;

/// <summary>The value of a term in its field's dictionary. Layout: docs/search-format.md, "Term record".</summary>
internal readonly ref struct TermRecord
{
    public const int HeaderBytes = 10;

    /// <summary>Postings that take more bytes than this are large.</summary>
    public const int MaxSmallBytes = 112;

    /// <summary>A large set becomes small again when it takes no more bytes than this.</summary>
    public const int ShrinkToBytes = MaxSmallBytes / 4;

    /// <summary>Bytes of the longest record.</summary>
    public const int MaxBytes = HeaderBytes + MaxSmallBytes;

    /// <summary>Where the document frequency lies, which the dictionary sums.</summary>
    public const int DocumentFrequencyOffset = 0;

    public TermRecord(ReadOnlySpan<byte> value)
    {
        Invariant.Require(value.Length >= HeaderBytes && value[8] <= (byte)PostingForm.Large && value[9] <= 3);
        DocumentFrequency = BinaryPrimitives.ReadUInt32LittleEndian(value);
        TermNumber = BinaryPrimitives.ReadUInt32LittleEndian(value[4..]);
        Form = (PostingForm)value[8];
        Options = (PostingOptions)value[9];
        Payload = value[HeaderBytes..];
        Invariant.Require(DocumentFrequency > 0 && Form == PostingForm.Large == (value.Length == HeaderBytes));
    }

    /// <summary>What the tree of a dictionary is made with: it counts its terms and adds up document frequencies.</summary>
    public static BTreeOptions TreeOptions => new() { KeepsCounts = true, SumsAt = DocumentFrequencyOffset };

    /// <summary>The number of postings.</summary>
    public uint DocumentFrequency { get; }

    public uint TermNumber { get; }

    public PostingForm Form { get; }

    public PostingOptions Options { get; }

    /// <summary>What follows the header.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    public static void WriteHeader(Span<byte> value, uint documentFrequency, uint termNumber, PostingForm form, PostingOptions options)
    {
        Invariant.Require(documentFrequency > 0 && (options & PostingOptions.Positions) == 0 | (options & PostingOptions.Frequencies) != 0);
        value[..HeaderBytes].Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(value, documentFrequency);
        BinaryPrimitives.WriteUInt32LittleEndian(value[4..], termNumber);
        value[8] = (byte)form;
        value[9] = (byte)options;
    }
}
