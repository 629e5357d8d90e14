import { describe, expect, it } from 'vitest';

import type { FakeBmc } from '../../fakes/bmc.ts';
import { enrol } from './fixture.ts';

const media = '/redfish/v1/Systems/1/VirtualMedia';
const cd = `${media}/1`;
const insertPath = `POST ${cd}/Actions/VirtualMedia.InsertMedia`;
const ejectPath = `POST ${cd}/Actions/VirtualMedia.EjectMedia`;
const image = 'https://10.1.0.2/objects/boot.iso?signature=one';
const wanted = { slot: 'cd', image } as const;

const sent = (bmc: FakeBmc, end: string) =>
  bmc.requests.filter(({ method, path }) => method !== 'GET' && path.endsWith(end)).map(({ text }) => text);
const inserts = (bmc: FakeBmc) => sent(bmc, 'InsertMedia').map((text) => JSON.parse(text) as unknown);
const slot = (bmc: FakeBmc, path = cd) => bmc.resources[path]!;
const complaint = (Message: string) => ({
  status: 400,
  body: { error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.8.PropertyMissing', Message }] } },
});

describe('inserting', () => {
  it('sends the least that is needed and looks whether it is in', async () => {
    const { ask, bmc } = await enrol();
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done', observed: { changed: true } });
    expect(inserts(bmc)).toEqual([{ Image: image }]);
  });

  it('uses the slot of the kind', async () => {
    const { ask, bmc } = await enrol();
    await ask('vmedia.insert', { slot: 'usb', image });
    expect([slot(bmc)['Inserted'], slot(bmc, `${media}/2`)['Inserted']]).toEqual([false, true]);
  });

  it('does nothing when the image is in, whatever its signature', async () => {
    const { ask, bmc } = await enrol();
    Object.assign(slot(bmc), { Image: 'https://10.1.0.2/objects/boot.iso?signature=two', Inserted: true });
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ observed: { changed: false } });
    expect(inserts(bmc)).toEqual([]);
  });

  it('takes another image out first, and waits until it is out', async () => {
    const { ask, bmc } = await enrol();
    Object.assign(slot(bmc), { Image: 'https://elsewhere/other.iso', Inserted: true });
    bmc.answer(ejectPath, () => {
      // Dell: Inserted stays true for a while.
      bmc.answer(`GET ${cd}`, { status: 200, body: { ...slot(bmc) } }, { status: 200, body: { ...slot(bmc) } });
      return undefined;
    });
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
    const writes = bmc.story().filter((line) => line.startsWith('POST'));
    expect(writes).toEqual([ejectPath, insertPath]);
  });

  it('says busy when the other image stays', async () => {
    const { ask, bmc } = await enrol();
    Object.assign(slot(bmc), { Image: 'https://elsewhere/other.iso', Inserted: true });
    bmc.answer(ejectPath, { status: 204 });
    await expect(ask('vmedia.insert', wanted)).rejects.toMatchObject({ name: 'BmcBusy' });
    expect(inserts(bmc)).toEqual([]);
  });

  it('adds the fields that the BMC asks for, one after another', async () => {
    const { ask, bmc } = await enrol();
    bmc.answer(
      insertPath,
      complaint('The property TransferProtocolType is missing.'),
      complaint('The property TransferMethod is missing.'),
      complaint('UserName is required.'),
    );
    await ask('vmedia.insert', wanted);
    expect(inserts(bmc).at(-1)).toEqual({
      Image: image,
      TransferProtocolType: 'HTTPS',
      TransferMethod: 'Stream',
      UserName: 'none',
      Password: 'none',
    });
  });

  it('gives up after four posts, and at once when no field is named', async () => {
    const { ask, bmc } = await enrol();
    const all = complaint('TransferProtocolType, TransferMethod, UserName, Inserted');
    bmc.answer(insertPath, all, all, all, all);
    await expect(ask('vmedia.insert', wanted)).rejects.toMatchObject({ name: 'BmcRejected' });
    expect(inserts(bmc).length).toBe(4);
    bmc.answer(insertPath, complaint('The image is no good.'));
    await expect(ask('vmedia.insert', wanted)).rejects.toThrow('The image is no good.');
    expect(inserts(bmc).length).toBe(5);
  });

  it.each([400, 405])('goes on to the next slot when one answers %i (Cisco UCS)', async (status) => {
    const { ask, bmc } = await enrol();
    slot(bmc, `${media}/2`)['MediaTypes'] = ['DVD'];
    bmc.answer(insertPath, { status });
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
    expect(slot(bmc, `${media}/2`)).toMatchObject({ Image: image, Inserted: true });
  });

  it('changes the slot itself where there are no actions, with its ETag (Lenovo XCC)', async () => {
    const { ask, bmc } = await enrol();
    slot(bmc)['Actions'] = {};
    bmc.answer(`PATCH ${cd}`, { status: 412 });
    await ask('vmedia.insert', wanted);
    const [first] = bmc.requests.filter(({ method }) => method === 'PATCH');
    expect(first!.headers['if-match']).toBe('"1"');
    expect(first!.body).toEqual({ Image: image, Inserted: true, WriteProtected: true });
    expect(slot(bmc)).toMatchObject({ Image: image, Inserted: true });
  });

  it('uses the slots of the manager where the system has none', async () => {
    const { ask, bmc } = await enrol();
    delete bmc.resources['/redfish/v1/Systems/1']!['VirtualMedia'];
    bmc.resources['/redfish/v1/Managers/1']!['VirtualMedia'] = { '@odata.id': media };
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
  });

  it('finds the manager also where the system does not name it (Huawei)', async () => {
    const { ask, bmc } = await enrol();
    const system = bmc.resources['/redfish/v1/Systems/1']!;
    delete system['VirtualMedia'];
    system['Links'] = {};
    bmc.resources['/redfish/v1/Managers/1']!['VirtualMedia'] = { '@odata.id': media };
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
  });

  it('is unsupported where there is no slot of the kind', async () => {
    const { ask, bmc } = await enrol();
    slot(bmc, `${media}/2`)['MediaTypes'] = ['Floppy'];
    await expect(ask('vmedia.insert', { slot: 'usb', image })).rejects.toThrow('no virtual media of type USBStick');
  });

  it('waits for what was accepted, without a second insert, and tries again after 30 s', async () => {
    const { ask, bmc, clock } = await enrol();
    bmc.answer(insertPath, { status: 204 });
    expect(await ask('vmedia.insert', wanted, { deadline_ms: 10_000 })).toMatchObject({ status: 'pending' });
    expect(await ask('vmedia.insert', wanted, { deadline_ms: 10_000 })).toMatchObject({ status: 'pending' });
    expect(inserts(bmc).length).toBe(1);
    await clock.sleep(15_000);
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
    expect(inserts(bmc).length).toBe(2);
  });

  it('that the BMC answers with an error is tried again at once, and the fault repeats the words of the BMC', async () => {
    const { ask, bmc } = await enrol();
    const broken = { status: 500, body: { error: { message: 'The image server is not there.' } } };
    bmc.answer(insertPath, broken, broken);
    for (const _ of [1, 2]) {
      await expect(ask('vmedia.insert', wanted)).rejects.toMatchObject({
        name: 'BmcProtocol',
        message: expect.stringContaining('status 500: The image server is not there.') as string,
      });
    }
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
    expect(inserts(bmc)).toHaveLength(3);
  });

  it('goes by the image where the BMC does not say whether it is inserted (HPE iLO 4)', async () => {
    const { ask, bmc } = await enrol();
    slot(bmc)['Inserted'] = null;
    bmc.answer(insertPath, () => {
      slot(bmc)['Image'] = image;
      return { status: 200 };
    });
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
  });

  it('uses the only slot that works on iDRAC 10', async () => {
    const { ask, bmc } = await enrol();
    bmc.resources['/redfish/v1/']!['Vendor'] = 'Dell';
    Object.assign(bmc.resources['/redfish/v1/Managers/1']!, { Model: '17G Monolithic', FirmwareVersion: '1.20.25.00' });
    slot(bmc, `${media}/2`)['MediaTypes'] = ['CD'];
    slot(bmc)['Id'] = '2';
    slot(bmc, `${media}/2`)['Id'] = '1';
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ quirks: ['dell-slot-1'] });
    expect(slot(bmc, `${media}/2`)['Inserted']).toBe(true);
  });
});

describe('slots that take anything (Dell iDRAC 9)', () => {
  it('hold a CD and a stick beside each other, and give back each by itself', async () => {
    const { ask, bmc } = await enrol();
    const other = `${media}/2`;
    for (const path of [cd, other]) slot(bmc, path)['MediaTypes'] = ['CD', 'DVD', 'USBStick'];
    await ask('vmedia.insert', wanted);
    await ask('vmedia.insert', { slot: 'usb', image: 'https://10.1.0.2/objects/drive' }, { op_id: 'stick' });
    expect([slot(bmc)['Image'], slot(bmc, other)['Image']]).toEqual([image, 'https://10.1.0.2/objects/drive']);
    await ask('vmedia.eject', { slot: 'usb' });
    expect([slot(bmc)['Inserted'], slot(bmc, other)['Inserted']]).toEqual([true, false]);
    await ask('vmedia.eject', { slot: 'all' }, { op_id: 'all' });
    expect([slot(bmc)['Inserted'], slot(bmc, other)['Inserted']]).toEqual([false, false]);
  });

  it('hold one thing at a time if there is only one', async () => {
    const { ask, bmc } = await enrol();
    slot(bmc)['MediaTypes'] = ['CD', 'USBStick'];
    slot(bmc, `${media}/2`)['MediaTypes'] = ['Floppy'];
    await ask('vmedia.insert', wanted);
    await ask('vmedia.insert', { slot: 'usb', image: 'https://10.1.0.2/objects/drive' }, { op_id: 'stick' });
    expect(slot(bmc)['Image']).toBe('https://10.1.0.2/objects/drive');
  });

  it('keep what is booted where there is only one, when something has to go beside it', async () => {
    const { ask, bmc } = await enrol();
    slot(bmc)['MediaTypes'] = ['CD', 'USBStick'];
    slot(bmc, `${media}/2`)['MediaTypes'] = ['Floppy'];
    await ask('vmedia.insert', wanted);
    const stick = { slot: 'usb', image: 'https://10.1.0.2/objects/drive', beside: true } as const;
    await expect(ask('vmedia.insert', stick, { op_id: 'stick' })).rejects.toMatchObject({ name: 'BmcUnsupported' });
    expect(slot(bmc)['Image']).toBe(wanted.image);
    expect(await ask('vmedia.get', {}, { op_id: 'look' })).toMatchObject({ observed: { removable: false } });
  });
});

describe('ejecting', () => {
  const fill = (bmc: FakeBmc, ...paths: string[]) => {
    for (const path of paths) Object.assign(slot(bmc, path), { Image: image, Inserted: true });
  };

  it('empties the slots of the kind, sending nothing as body', async () => {
    const { ask, bmc } = await enrol();
    fill(bmc, cd, `${media}/2`);
    expect(await ask('vmedia.eject', { slot: 'cd' })).toMatchObject({ status: 'done', observed: { changed: true } });
    expect(sent(bmc, 'EjectMedia')).toEqual(['']);
    expect(slot(bmc, `${media}/2`)['Inserted']).toBe(true);
    await ask('vmedia.eject', { slot: 'all' }, { op_id: 'other' });
    expect(slot(bmc, `${media}/2`)['Inserted']).toBe(false);
  });

  it('does nothing when nothing is in', async () => {
    const { ask, bmc } = await enrol();
    slot(bmc)['Image'] = 'https://elsewhere/left-behind.iso';
    expect(await ask('vmedia.eject', { slot: 'all' })).toMatchObject({ observed: { changed: false } });
    expect(sent(bmc, 'EjectMedia')).toEqual([]);
  });

  it('sends an empty object where that is wanted, to HPE at once', async () => {
    const { ask, bmc } = await enrol();
    fill(bmc, cd);
    bmc.answer(ejectPath, { status: 415 });
    await ask('vmedia.eject', { slot: 'cd' });
    expect(sent(bmc, 'EjectMedia')).toEqual(['', '{}']);
    bmc.resources['/redfish/v1/']!['Vendor'] = 'HPE';
    fill(bmc, cd);
    await ask('vmedia.eject', { slot: 'cd' }, { op_id: 'other' });
    expect(sent(bmc, 'EjectMedia')).toEqual(['', '{}', '{}']);
  });

  it('changes the slot itself where there are no actions', async () => {
    const { ask, bmc } = await enrol();
    fill(bmc, cd);
    slot(bmc)['Actions'] = {};
    bmc.answer(`PATCH ${cd}`, { status: 400 });
    expect(await ask('vmedia.eject', { slot: 'cd' })).toMatchObject({ status: 'done' });
    expect(sent(bmc, cd).map((text) => JSON.parse(text) as unknown)).toEqual([
      { Image: null },
      { Image: null, Inserted: false },
    ]);
  });

  it.each([400, 409])('that is refused with %i counts when it turns out to be out', async (status) => {
    const { ask, bmc } = await enrol();
    fill(bmc, cd);
    const gone = () => {
      Object.assign(slot(bmc), { Image: null, Inserted: false });
      return { status };
    };
    bmc.answer(ejectPath, gone, gone);
    expect(await ask('vmedia.eject', { slot: 'cd' })).toMatchObject({ status: 'done' });
  });

  it('looks in the slots of the manager, too', async () => {
    const { ask, bmc } = await enrol();
    const other = '/redfish/v1/Managers/1/VirtualMedia';
    bmc.resources['/redfish/v1/Managers/1']!['VirtualMedia'] = { '@odata.id': other };
    bmc.resources[other] = { Members: [{ '@odata.id': `${other}/9` }] };
    const action = { target: `${other}/9/Actions/VirtualMedia.EjectMedia` };
    bmc.resources[`${other}/9`] = {
      MediaTypes: ['CD'],
      Image: image,
      Inserted: true,
      Actions: { '#VirtualMedia.EjectMedia': action },
    };
    expect(await ask('vmedia.eject', { slot: 'cd' })).toMatchObject({ status: 'done' });
    expect(bmc.resources[`${other}/9`]).toMatchObject({ Inserted: false });
  });
});

describe('a drive that shows under System and Manager, and late what was ejected', () => {
  const other = '/redfish/v1/Managers/1/VirtualMedia';

  /** Both show it as inserted for three more looks; a second eject is refused. */
  const enrolTwins = async (id = '1') => {
    const machine = await enrol();
    const { bmc } = machine;
    bmc.resources['/redfish/v1/Managers/1']!['VirtualMedia'] = { '@odata.id': other };
    bmc.resources[other] = { Members: [{ '@odata.id': `${other}/1` }] };
    Object.assign(slot(bmc), { Id: '1', Image: image, Inserted: true });
    const eject = { target: `${other}/1/Actions/VirtualMedia.EjectMedia` };
    bmc.resources[`${other}/1`] = { ...slot(bmc), Id: id, Actions: { '#VirtualMedia.EjectMedia': eject } };
    let left = Infinity;
    bmc.handlers.push(({ method, path }) => {
      if (method === 'POST' && path.endsWith('.EjectMedia')) {
        if (left < Infinity) return { status: 400, body: { error: { message: 'There is no media inserted.' } } };
        left = 6;
        return { status: 204 };
      }
      if (method !== 'GET' || ![cd, `${other}/1`].includes(path)) return undefined;
      left -= 1;
      if (left > 0) return undefined;
      left = Infinity;
      for (const one of [cd, `${other}/1`]) Object.assign(slot(bmc, one), { Image: null, Inserted: false });
      return undefined;
    });
    return machine;
  };

  it('is asked for it once and waited for', async () => {
    const { ask, bmc } = await enrolTwins();
    expect(await ask('vmedia.eject', { slot: 'cd' })).toMatchObject({ status: 'done' });
    expect(sent(bmc, 'EjectMedia')).toHaveLength(1);
  });

  it('may refuse the second eject, if it does not look like the same one', async () => {
    const { ask, bmc } = await enrolTwins('Cd');
    expect(await ask('vmedia.eject', { slot: 'cd' })).toMatchObject({ status: 'done' });
    // The second one in both forms, once each.
    expect(sent(bmc, 'EjectMedia')).toEqual(['', '', '{}']);
  });

  it('gets its next image when the last one is out at last, although it refuses to eject it again', async () => {
    const { ask, bmc } = await enrolTwins();
    await ask('vmedia.eject', { slot: 'cd' }, { deadline_ms: 1000 });
    slot(bmc)['Image'] = null;
    expect(await ask('vmedia.insert', wanted)).toMatchObject({ status: 'done' });
    expect(slot(bmc)).toMatchObject({ Image: image, Inserted: true });
  });

  it('that refuses for good says so when the lag is over', async () => {
    const { ask, bmc } = await enrol();
    Object.assign(slot(bmc), { Image: 'https://elsewhere/other.iso', Inserted: true });
    bmc.handlers.push(({ path }) =>
      path.endsWith('.EjectMedia') ? { status: 400, text: 'The drive is locked' } : undefined,
    );
    await expect(ask('vmedia.insert', wanted, { deadline_ms: 60_000 })).rejects.toThrow('The drive is locked.');
    await expect(ask('vmedia.eject', { slot: 'cd' })).rejects.toThrow('The drive is locked.');
  });
});

describe('an insert whose task goes on', () => {
  it('is not repeated', async () => {
    const { ask, bmc, clock } = await enrol();
    const monitor = '/redfish/v1/TaskService/TaskMonitors/1';
    bmc.answer(insertPath, { status: 202, headers: { Location: monitor } });
    bmc.resources[monitor] = { TaskState: 'Running' };
    for (let time = 0; time < 4; time += 1) {
      expect(await ask('vmedia.insert', wanted)).toMatchObject({
        status: 'pending',
        reason: expect.stringContaining('Its task is still running.') as string,
      });
      await clock.sleep(60_000);
    }
    expect(inserts(bmc)).toHaveLength(1);
  });
});

it('lets nothing out that the address of an image holds, in whatever form the BMC quotes it', async () => {
  const { ask, bmc, log } = await enrol();
  const secret = 'https://isouser:MARKER%2Fpass@10.1.0.2/boot.iso?X-Amz-Signature=MARKER0123456789abcdef0123';
  const quotes = [
    { status: 500, text: `cannot open ${secret}` },
    { status: 500, text: String.raw`["cannot open https:\/\/isouser:MARKER%2Fpass@10.1.0.2"` },
    { status: 500, text: String.raw`cannot open https:\/\/isouser:MARKER%2Fpass@10.1.0.2` },
    { status: 500, body: { error: { message: 'the login isouser:MARKER/pass was refused' } } },
    { status: 500, body: { message: 'GET /boot.iso?X-Amz-Signature=MARKER0123456789abcdef0123 failed' } },
  ];
  bmc.answer(insertPath, ...quotes);
  for (const _ of quotes) {
    const error = await ask('vmedia.insert', { slot: 'cd', image: secret }).catch((fault: unknown) => fault);
    expect(error).toMatchObject({ name: 'BmcProtocol' });
    expect((error as Error).message).not.toContain('MARKER');
  }
  expect(JSON.stringify(log.lines)).not.toContain('MARKER');
});

describe('looking', () => {
  it('tells what is in the slots, without signatures and credentials', async () => {
    const { ask, bmc } = await enrol();
    const cd = bmc.resources['/redfish/v1/Systems/1/VirtualMedia/1']!;
    Object.assign(cd, { Image: 'https://user:MARKER@images.test/a/boot.iso?signature=MARKER', Inserted: true });
    const reply = await ask('vmedia.get', {});
    expect(reply).toMatchObject({
      observed: {
        media: [
          { media_types: ['CD', 'DVD'], inserted: true, image: 'https://images.test/a/boot.iso' },
          { media_types: ['USBStick'], inserted: false, image: null },
        ],
      },
    });
    expect(JSON.stringify(reply)).not.toContain('MARKER');
  });

  it('does not take the entry of an ejected image for one that is there (Supermicro X11)', async () => {
    const { ask, bmc } = await enrol();
    const cd = bmc.resources['/redfish/v1/Systems/1/VirtualMedia/1']!;
    Object.assign(cd, { Image: 'https://images.test/boot.iso', Inserted: false });
    expect(await ask('vmedia.get', {})).toMatchObject({ observed: { media: [{ inserted: false, image: null }, {}] } });
  });

  it('is unsupported where there are no slots', async () => {
    const { ask, bmc } = await enrol();
    delete bmc.resources['/redfish/v1/Systems/1']!['VirtualMedia'];
    await expect(ask('vmedia.get', {})).rejects.toMatchObject({ name: 'BmcUnsupported' });
  });
});
