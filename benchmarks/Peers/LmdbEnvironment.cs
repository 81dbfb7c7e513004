using System.Runtime.InteropServices;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.Peers;

/// <summary>
/// An LMDB environment with one unnamed database, with LMDB's default durability: a commit writes its pages, fdatasyncs, and
/// writes the meta page through O_DSYNC.
/// </summary>
internal sealed unsafe class LmdbEnvironment : IDisposable
{
    private const uint FileMode = 0x1A4; // 0644
    private readonly uint _database;
    private nint _environment;

    /// <param name="directory">An existing folder.</param>
    /// <param name="mapSize">Upper limit of the data file, in bytes.</param>
    /// <param name="durable">False: commits are not synced (for loading); <see cref="Sync"/> does it once.</param>
    /// <exception cref="ContenderUnavailableException">liblmdb is not installed.</exception>
    public LmdbEnvironment(string directory, long mapSize, bool durable)
    {
        if (!NativeLibrary.TryLoad(LmdbNative.Library, out _))
            throw new ContenderUnavailableException($"{LmdbNative.Library} is missing (apt-get install liblmdb0)");
        Check(LmdbNative.EnvironmentCreate(out _environment));
        Check(LmdbNative.SetMapSize(_environment, (nuint)mapSize));
        Check(LmdbNative.EnvironmentOpen(_environment, directory, durable ? 0 : LmdbNative.NoSync, FileMode));
        Check(LmdbNative.TransactionBegin(_environment, 0, 0, out nint transaction));
        Check(LmdbNative.DatabaseOpen(transaction, 0, 0, out _database));
        Check(LmdbNative.TransactionCommit(transaction));
    }

    public nint BeginWrite()
    {
        Check(LmdbNative.TransactionBegin(_environment, 0, 0, out nint transaction));
        return transaction;
    }

    public static void Commit(nint transaction) => Check(LmdbNative.TransactionCommit(transaction));

    public void Put(nint transaction, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        fixed (byte* keyStart = key)
        fixed (byte* valueStart = value)
        {
            var k = new LmdbNative.Value { Size = (nuint)key.Length, Start = keyStart };
            var v = new LmdbNative.Value { Size = (nuint)value.Length, Start = valueStart };
            Check(LmdbNative.Put(transaction, _database, ref k, ref v, 0));
        }
    }

    public void Sync() => Check(LmdbNative.EnvironmentSync(_environment, 1));

    public void Dispose()
    {
        if (_environment != 0)
            LmdbNative.EnvironmentClose(_environment);
        _environment = 0;
    }

    private static void Check(int result)
    {
        if (result != 0)
            throw new IOException($"LMDB: {Marshal.PtrToStringUTF8(LmdbNative.ErrorText(result))} ({result})");
    }
}
