using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Headers;

namespace Jackdaw.Simulation.Histories;

/// <summary>What happens to bytes while the machine is off, and how to take it back. One place at a time: two are out of every
/// promise.</summary>
internal sealed class MediumDamage
{
    private static readonly string[] Headers = ["header.a", "header.b"];
    private readonly List<(string Path, byte[] Content)> _before = [];
    private readonly List<(string Path, byte[] Content)> _after = [];

    private MediumDamage(DamageKind kind) => Kind = kind;

    public DamageKind Kind { get; }

    /// <summary>Null when there is nothing fit to be damaged.</summary>
    public static MediumDamage? Inflict(SimulatedDisk disk, SimulatedRandom random, bool closedCleanly)
    {
        var kind = random.Next(closedCleanly ? 8 : 5) switch
        {
            < 2 => random.OneIn(6) ? DamageKind.BothHeaders : DamageKind.OneHeader,
            < 5 => DamageKind.Journal,
            _ => DamageKind.Data,
        };
        var damage = new MediumDamage(kind);
        return kind switch
        {
            DamageKind.OneHeader or DamageKind.BothHeaders => damage.DestroyHeaders(disk, random) ? damage : null,
            DamageKind.Journal => FlipJournal(disk, disk, random),
            _ => damage.Flip(disk, random, "") ? damage : null,
        };
    }

    /// <summary>
    /// A bit of some journal file, half of the time of one that is to be replayed, as the headers of
    /// <paramref name="withHeaders"/> say. Null when there is none.
    /// </summary>
    public static MediumDamage? FlipJournal(SimulatedDisk disk, SimulatedDisk withHeaders, SimulatedRandom random)
    {
        var damage = new MediumDamage(DamageKind.Journal);
        if (random.Coin() && damage.FlipReplayed(disk, withHeaders, random))
            return damage;
        return damage.Flip(disk, random, "journal") ? damage : null;
    }

    /// <summary>The refusal says where the damage is.</summary>
    public void RequireNamedBy(CorruptedDataException error)
    {
        var (path, content) = _before[0];
        OracleException.Require(
            error.Path.EndsWith(path, StringComparison.Ordinal) && error.Offset >= 0 && error.Offset <= content.Length,
            $"'{path}' is damaged, and the refusal names '{error.Path}' at {error.Offset}: {error.Message}"
        );
    }

    public void Undo(SimulatedDisk disk)
    {
        foreach (var (path, content) in _before)
        {
            if (disk.Exists(path))
                disk.Damage(path, 0, bytes => content.AsSpan(0, Math.Min(bytes.Length, content.Length)).CopyTo(bytes));
        }
    }

    /// <summary>The same for files in which nothing has been written since: damage that was survived must not meet the next.</summary>
    public void UndoWhereUnchanged(SimulatedDisk disk)
    {
        for (var i = 0; i < _before.Count; i++)
        {
            if (!disk.Content(_after[i].Path).SequenceEqual(_after[i].Content))
                _before[i] = (_before[i].Path, []);
        }
        Undo(disk);
    }

    private bool DestroyHeaders(SimulatedDisk disk, SimulatedRandom random)
    {
        // A header that a power cut has torn is one fault already.
        var headers = Headers.Select(path => Read(disk, path)).ToArray();
        if (headers.Contains(null))
            return false;
        // Mostly the newest one: without it, all that the other relies on must still be there.
        var newest = headers[0]!.Generation > headers[1]!.Generation ? 0 : 1;
        var first = random.OneIn(3) ? 1 - newest : newest;
        Destroy(disk, random, Headers[first]);
        if (Kind == DamageKind.BothHeaders)
            Destroy(disk, random, Headers[1 - first]);
        return true;
    }

    private static EnvironmentHeader? Read(SimulatedDisk disk, string path) =>
        disk.Exists(path) && disk.Content(path).Length >= EnvironmentHeader.Size ? EnvironmentHeader.Read(disk.Content(path), path) : null;

    private void Destroy(SimulatedDisk disk, SimulatedRandom random, string path)
    {
        Remember(disk, path);
        var sort = random.Next(3);
        disk.Damage(
            path,
            0,
            bytes =>
            {
                if (sort == 0)
                    bytes.Clear();
                else if (sort == 1)
                    random.NextBytes(bytes[..EnvironmentHeader.Size]);
                else
                    bytes[random.Next(EnvironmentHeader.Size)] ^= (byte)(1 << random.Next(8));
            }
        );
        _after.Add((path, disk.Content(path).ToArray()));
    }

    private bool Flip(SimulatedDisk disk, SimulatedRandom random, string folder)
    {
        var files = disk.FilesUnder(folder).Where(f => f.Length > 0 && (folder.Length > 0 || f.Path == "data")).ToList();
        if (files.Count == 0)
            return false;
        var (path, length) = files[random.Next(files.Count)];
        // Half of the flips are in the first blocks, where headers are.
        FlipBit(disk, random, path, random.NextInt64(random.Coin() ? Math.Min(length, 2048) : length));
        return true;
    }

    private bool FlipReplayed(SimulatedDisk disk, SimulatedDisk withHeaders, SimulatedRandom random)
    {
        var headers = Headers
            .Select(path => Read(withHeaders, path))
            .OfType<EnvironmentHeader>()
            .OrderByDescending(h => h.Generation)
            .ToList();
        if (headers.Count == 0)
            return false;
        var from = headers[0].Synced;
        var path = $"journal/{from.Sequence:x16}";
        var length = disk.Exists(path) ? disk.Content(path).Length : 0;
        if (from.Offset >= length)
            return false;
        FlipBit(disk, random, path, from.Offset + random.Next((int)Math.Min(length - from.Offset, 12 * 1024)));
        return true;
    }

    private void FlipBit(SimulatedDisk disk, SimulatedRandom random, string path, long offset)
    {
        Remember(disk, path);
        disk.Damage(path, offset, bytes => bytes[0] ^= (byte)(1 << random.Next(8)));
        _after.Add((path, disk.Content(path).ToArray()));
    }

    private void Remember(SimulatedDisk disk, string path) => _before.Add((path, disk.Content(path).ToArray()));
}
