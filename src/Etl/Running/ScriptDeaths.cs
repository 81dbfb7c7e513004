using System.Buffers.Binary;
using System.Numerics;
using System.Security.Cryptography;
using System.Text;
using Jackdaw.Documents;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Counts how often the process died while a transform's script ran, so that one document cannot end the server for ever: after
/// two deaths the changes are taken one
/// at a time, each noted durably before it is tried, and the one that it died of is not tried again. Kept in a note of the
/// database; see docs/etl.md, "Scripts that end
/// the process". For the task's own thread.
/// </summary>
internal sealed class ScriptDeaths : IDisposable
{
    /// <summary>Deaths after which changes are tried one at a time.</summary>
    private const int Patience = 2;

    private const byte Version = 1;
    private const int SlotBytes = 64;
    private const int ChecksumAt = SlotBytes - sizeof(uint);

    private readonly DatabaseNote _note;
    private readonly Slot[] _slots;
    private readonly byte[] _buffer = new byte[SlotBytes];

    /// <param name="database">Has the note.</param>
    /// <param name="taskId">Names it.</param>
    /// <param name="transforms">Names of the transforms that are run, in their order.</param>
    public ScriptDeaths(Database database, long taskId, IReadOnlyList<string> transforms)
    {
        _note = database.OpenNote(NoteName(taskId));
        try
        {
            _slots = transforms.Select((name, i) => Read(i, name)).ToArray();
            // So that nothing that is written later needs room of the medium.
            for (int i = 0; i < _slots.Length; i++)
                Write(i);
            _note.Sync();
        }
        catch
        {
            _note.Dispose();
            throw;
        }
    }

    private enum Stage : byte
    {
        Outside = 0,
        InBatch = 1,
        Alone = 2,
    }

    public static string NoteName(long taskId) => string.Create(System.Globalization.CultureInfo.InvariantCulture, $"etl-{taskId}");

    /// <summary>Scripts are about to run on the changes after an etag. True when each must be told (<see cref="Try"/>) before it
    /// is tried.</summary>
    public bool Begin(int transform, long fromEtag)
    {
        ref var slot = ref _slots[transform];
        slot.From = fromEtag;
        slot.Stage = slot.Deaths >= Patience ? Stage.Alone : Stage.InBatch;
        slot.Trying = 0;
        Write(transform);
        return slot.Stage == Stage.Alone;
    }

    /// <summary>The process died of this change when it was tried alone.</summary>
    public bool IsKiller(int transform, long etag) => _slots[transform].Killer == etag;

    /// <summary>Durably: this change is tried next.</summary>
    public void Try(int transform, long etag)
    {
        _slots[transform].Trying = etag;
        Write(transform);
        _note.Sync();
    }

    /// <summary>The script has ended on the change that was tried, and what comes next runs none.</summary>
    public void Rest(int transform)
    {
        ref var slot = ref _slots[transform];
        if (slot.Trying == 0)
            return;
        slot.Trying = 0;
        Write(transform);
    }

    /// <summary>No script runs any more. A whole batch behind the place of the last death clears the count.</summary>
    public void End(int transform, bool isWhole)
    {
        ref var slot = ref _slots[transform];
        if (isWhole && slot.From >= slot.Suspect)
        {
            slot.Deaths = 0;
            if (slot.From >= slot.Killer)
                slot.Killer = 0;
        }
        slot.Stage = Stage.Outside;
        slot.Trying = 0;
        Write(transform);
    }

    public void Dispose() => _note.Dispose();

    private Slot Read(int index, string name)
    {
        var fresh = new Slot
        {
            Name = BinaryPrimitives.ReadUInt64LittleEndian(SHA256.HashData(Encoding.UTF8.GetBytes(name.ToLowerInvariant()))),
        };
        _note.Read((long)index * SlotBytes, _buffer);
        var slot = Slot.Parse(_buffer);
        // Of another transform, or torn when the machine lost its power: nothing is known.
        if (slot is not { } known || known.Name != fresh.Name)
            return fresh;
        if (known.Stage == Stage.Outside)
            return known;
        known.Deaths++;
        known.Suspect = Math.Max(known.Suspect, known.From);
        if (known.Stage == Stage.Alone && known.Trying > 0)
            known.Killer = known.Trying;
        known.Stage = Stage.Outside;
        known.Trying = 0;
        return known;
    }

    private void Write(int index)
    {
        _slots[index].Write(_buffer);
        _note.Write((long)index * SlotBytes, _buffer);
    }

    /// <summary>Little-endian: version, stage, two bytes of zeros, deaths, name, suspect, from, trying, killer, zeros, CRC32C of
    /// what stands before it.</summary>
    private struct Slot
    {
        /// <summary>Of the transform: eight bytes of its hash.</summary>
        public ulong Name;

        public Stage Stage;

        /// <summary>In a row, without a whole batch behind <see cref="Suspect"/>.</summary>
        public int Deaths;

        /// <summary>The furthest begin of a batch that the process died in.</summary>
        public long Suspect;

        /// <summary>Where the batch in hand begins.</summary>
        public long From;

        /// <summary>The change that is tried alone; 0: none.</summary>
        public long Trying;

        /// <summary>See <see cref="IsKiller"/>; 0: none.</summary>
        public long Killer;

        /// <summary>Null when it is none.</summary>
        public static Slot? Parse(ReadOnlySpan<byte> bytes)
        {
            if (bytes[0] != Version || BinaryPrimitives.ReadUInt32LittleEndian(bytes[ChecksumAt..]) != Checksum(bytes))
                return null;
            return new Slot
            {
                Stage = (Stage)bytes[1],
                Deaths = BinaryPrimitives.ReadInt32LittleEndian(bytes[4..]),
                Name = BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]),
                Suspect = BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]),
                From = BinaryPrimitives.ReadInt64LittleEndian(bytes[24..]),
                Trying = BinaryPrimitives.ReadInt64LittleEndian(bytes[32..]),
                Killer = BinaryPrimitives.ReadInt64LittleEndian(bytes[40..]),
            };
        }

        public readonly void Write(Span<byte> bytes)
        {
            Invariant.Require(bytes.Length == SlotBytes);
            bytes.Clear();
            bytes[0] = Version;
            bytes[1] = (byte)Stage;
            BinaryPrimitives.WriteInt32LittleEndian(bytes[4..], Deaths);
            BinaryPrimitives.WriteUInt64LittleEndian(bytes[8..], Name);
            BinaryPrimitives.WriteInt64LittleEndian(bytes[16..], Suspect);
            BinaryPrimitives.WriteInt64LittleEndian(bytes[24..], From);
            BinaryPrimitives.WriteInt64LittleEndian(bytes[32..], Trying);
            BinaryPrimitives.WriteInt64LittleEndian(bytes[40..], Killer);
            BinaryPrimitives.WriteUInt32LittleEndian(bytes[ChecksumAt..], Checksum(bytes));
        }

        private static uint Checksum(ReadOnlySpan<byte> bytes)
        {
            uint state = uint.MaxValue;
            for (int i = 0; i < ChecksumAt; i += sizeof(uint))
                state = BitOperations.Crc32C(state, BinaryPrimitives.ReadUInt32LittleEndian(bytes[i..]));
            return ~state;
        }
    }
}
