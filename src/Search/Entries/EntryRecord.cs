using System.Buffers.Binary;
using Jackdaw.Search.Dictionary;

namespace Jackdaw.Search.Entries;

/// <summary>Reads an entry as the tree <c>entries</c> keeps it. Layout: docs/search-format.md, "Entry record".</summary>
internal ref struct EntryRecord
{
    public const byte Version = 1;

    /// <summary>In a term's tag, of a text: its frequency is 1 and not written.</summary>
    public const int OnceFlag = 4;

    public const int KindMask = 3;

    public const int TagBits = 3;

    private readonly ReadOnlySpan<byte> _bytes;
    private int _at;
    private int _fieldsLeft;
    private int _termsLeft;
    private uint _lastNumber;

    /// <exception cref="SearchFormatException">For a record of another version.</exception>
    public EntryRecord(ReadOnlySpan<byte> bytes)
    {
        _bytes = bytes;
        if (bytes.IsEmpty || bytes[0] != Version)
            throw new SearchFormatException(
                "An entry of the index has a record of another version, or a damaged one. Build the index again."
            );
        _at = 1;
        SourceKey = ReadBytes();
        Stored = ReadBytes();
        _fieldsLeft = checked((int)VarInt.Read(_bytes, ref _at));
    }

    /// <summary>Empty: the entry has no source.</summary>
    public ReadOnlySpan<byte> SourceKey { get; }

    public ReadOnlySpan<byte> Stored { get; }

    /// <summary>All bytes were read.</summary>
    public readonly bool IsAtEnd => _at == _bytes.Length;

    /// <summary>The field that <see cref="NextField"/> came to.</summary>
    public ushort Field { get; private set; }

    /// <summary>Terms of the field, without the mark <see cref="TermMark.Exists"/>, which each field of an entry has.</summary>
    public int Terms { get; private set; }

    /// <summary>Of all terms with their positions; 0 where the field keeps none.</summary>
    public ulong PositionsHash { get; private set; }

    /// <summary>What <see cref="NextTerm"/> came to.</summary>
    public TermKind Kind { get; private set; }

    /// <summary>Of a text.</summary>
    public uint TermNumber { get; private set; }

    /// <summary>Of a text; 1 where the field keeps none.</summary>
    public uint Frequency { get; private set; }

    /// <summary>Of a number.</summary>
    public ReadOnlySpan<byte> NumberKey { get; private set; }

    /// <summary>Of a mark.</summary>
    public TermMark Mark { get; private set; }

    /// <summary>Moves to the next field, past what is left of this one's terms. False at the end.</summary>
    public bool NextField()
    {
        while (NextTerm()) { }
        if (_fieldsLeft == 0)
            return false;
        _fieldsLeft--;
        Field = checked((ushort)(Field + (int)VarInt.Read(_bytes, ref _at)));
        ulong count = VarInt.Read(_bytes, ref _at);
        _termsLeft = Terms = checked((int)(count >> 1));
        PositionsHash = 0;
        _lastNumber = 0;
        if ((count & 1) == 0)
            return true;
        PositionsHash = BinaryPrimitives.ReadUInt64LittleEndian(_bytes[_at..]);
        _at += sizeof(ulong);
        return true;
    }

    /// <summary>Moves to the field's next term. False at its end.</summary>
    public bool NextTerm()
    {
        if (_termsLeft == 0)
            return false;
        _termsLeft--;
        ulong tag = VarInt.Read(_bytes, ref _at);
        ulong value = tag >> TagBits;
        Kind = (TermKind)(tag & KindMask);
        Frequency = 1;
        switch (Kind)
        {
            case TermKind.Text:
                _lastNumber = TermNumber = checked(_lastNumber + (uint)value);
                if ((tag & OnceFlag) == 0)
                    Frequency = checked((uint)VarInt.Read(_bytes, ref _at));
                break;
            case TermKind.Number:
                NumberKey = _bytes.Slice(_at, checked((int)value));
                _at += NumberKey.Length;
                break;
            case TermKind.Mark when value is 1 or 2:
                Mark = (TermMark)value;
                break;
            default:
                throw new SearchFormatException(
                    $"An entry of the index has a term of the unknown kind {tag & KindMask}. Build the index again."
                );
        }
        return true;
    }

    private ReadOnlySpan<byte> ReadBytes()
    {
        int length = checked((int)VarInt.Read(_bytes, ref _at));
        var bytes = _bytes.Slice(_at, length);
        _at += length;
        return bytes;
    }
}
